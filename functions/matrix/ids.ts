/**
 * Matrix ids as far as they can be taken apart: user ids and aliases have a server behind their first colon (which may
 * have a port of its own); room and event ids are opaque, those of room version 12 have no server at all.
 */

/** The server of a user id or an alias, its port included; undefined if there is none. */
export function serverOf(id: string): string | undefined {
  const colon = id.indexOf(':');
  return colon < 0 || colon === id.length - 1 ? undefined : id.slice(colon + 1);
}

/** `@localpart:server`, as lenient about the localpart as a server must be with old accounts. */
export function isUserId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 255 && /^@[^:\0]*:[^\s\0]+$/.test(value);
}

/** The users and aliases that are ours: the bot, and what begins with the prefix on the bot's server. */
export type Namespace = {
  readonly bot: string;
  readonly server: string;
  readonly prefix: string;
  isOurs(userId: string): boolean;
  isOurAlias(alias: string): boolean;
};

/**
 * Throws a TypeError for a bot that is no user id, and for a prefix that is empty or reaches into the server's name:
 * either would make strangers ours.
 */
export function namespace(bot: string, prefix: string): Namespace {
  const server = isUserId(bot) ? serverOf(bot) : undefined;
  if (server === undefined) throw new TypeError(`not a user id: ${bot}`);
  if (prefix === '' || prefix.includes(':')) throw new TypeError(`not a prefix of localparts: "${prefix}"`);
  const within = (sigil: string, id: string) => id.startsWith(sigil + prefix) && serverOf(id) === server;
  return {
    bot,
    server,
    prefix,
    isOurs: (userId) => userId === bot || within('@', userId),
    isOurAlias: (alias) => within('#', alias),
  };
}

/**
 * Whether an id matches one of the patterns, wholly: `*` stands for any characters, `?` for one, everything else for
 * itself. No patterns match nothing. Takes time in proportion to pattern times id, whatever they are.
 */
export function globs(patterns: readonly string[]): (id: string) => boolean {
  const compiled = patterns.map((pattern) => Array.from(pattern));
  return (id) => {
    const characters = Array.from(id);
    return compiled.some((pattern) => matches(pattern, characters));
  };
}

/** Goes back to the last star only: an earlier one could not take more than that one can. */
function matches(pattern: readonly string[], id: readonly string[]): boolean {
  let star = -1;
  let resume = 0;
  let p = 0;
  for (let i = 0; i < id.length; ) {
    if (pattern[p] === '*') {
      star = p++;
      resume = i;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === id[i])) {
      p++;
      i++;
    } else if (star >= 0) {
      p = star + 1;
      i = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
