/**
 * The registration file as data: how a homeserver learns of us, and what is wrong with such a file before a
 * homeserver refuses to start with it, or takes people for ours. Spec v1.19, application service API, "Registration".
 */
import { serverOf } from './ids.ts';
import { at, isRecord, type Json, recordAt, textAt } from './json.ts';

export type Pattern = { readonly exclusive: boolean; readonly regex: string };

export type Registration = {
  readonly id: string;
  readonly url: string | null;
  readonly as_token: string;
  readonly hs_token: string;
  readonly sender_localpart: string;
  readonly rate_limited: boolean;
  readonly receive_ephemeral: boolean;
  readonly namespaces: {
    readonly users: readonly Pattern[];
    readonly aliases: readonly Pattern[];
    readonly rooms: readonly Pattern[];
  };
};

export type RegistrationOptions = {
  readonly id: string;
  /** Where the homeserver finds the webhook; may have a path. */
  readonly url: string;
  /** The homeserver's name, as behind the colon of its users' ids. */
  readonly server: string;
  /** The bot's localpart. */
  readonly bot: string;
  /** What the localparts of our users and aliases begin with. */
  readonly prefix: string;
  readonly asToken: string;
  readonly hsToken: string;
};

/** The file's content. Nothing is checked here: {@link faultsOf} does. */
export function registration(options: RegistrationOptions): Registration {
  const within = (sigil: string) => `^${sigil}${literal(options.prefix)}[^:]*:${literal(options.server)}$`;
  const bot = `^@${literal(options.bot)}:${literal(options.server)}$`;
  return {
    id: options.id,
    url: options.url,
    as_token: options.asToken,
    hs_token: options.hsToken,
    sender_localpart: options.bot,
    rate_limited: false,
    receive_ephemeral: false,
    namespaces: {
      // The bot as well: some servers push nothing for a sender that its own namespace does not name.
      users: [
        { exclusive: true, regex: bot },
        { exclusive: true, regex: within('@') },
      ],
      aliases: [{ exclusive: true, regex: within('#') }],
      rooms: [],
    },
  };
}

/** What the registration may speak for: localparts that begin with `prefix`, on `server`. */
export type Own = { readonly prefix: string; readonly server: string };

/**
 * Everything for which a homeserver would refuse the file, and everything by which it would claim more than our own,
 * in plain words; empty if it is sound. Width is shown by ids of strangers that a regex matches anywhere, as some
 * servers match; that is no proof for a contrived one, so each must also be anchored at both ends.
 */
export function faultsOf(registration: unknown, own: Own): string[] {
  if (!isRecord(registration)) return ['not a mapping of keys to values'];
  const empty = own.prefix === '' ? ['the prefix is empty: every user of the homeserver would be ours'] : [];
  return [...empty, ...keyFaults(registration), ...namespaceFaults(registration, own)];
}

const TEXTS = ['id', 'as_token', 'hs_token', 'sender_localpart'];

function keyFaults(registration: Json): string[] {
  const faults: string[] = [];
  const fault = (key: string, text: string) => faults.push(`${key}: ${text}`);
  for (const key of TEXTS)
    if (textAt(registration, key) === undefined) fault(key, 'must be a text that is not empty');
  const url = urlFault(at(registration, 'url'));
  if (url !== undefined) fault('url', url);
  for (const key of ['as_token', 'hs_token'])
    if (/[^\x21-\x7e]/.test(textAt(registration, key) ?? ''))
      fault(key, 'has characters that no HTTP header can carry');
  const asToken = textAt(registration, 'as_token');
  if (asToken !== undefined && asToken === textAt(registration, 'hs_token'))
    fault('hs_token', 'must not be the as_token: whoever knew one would hold the other');
  if (/[^A-Za-z0-9._~/-]/.test(textAt(registration, 'sender_localpart') ?? ''))
    fault('sender_localpart', 'must not need URL encoding: only letters, digits, ".", "_", "~", "-" and "/"');
  for (const key of ['rate_limited', 'receive_ephemeral'])
    if (!['boolean', 'undefined'].includes(typeof at(registration, key))) fault(key, 'must be true or false');
  return faults;
}

function namespaceFaults(registration: Json, own: Own): string[] {
  const namespaces = recordAt(registration, 'namespaces');
  if (!namespaces) return ['namespaces: missing'];
  const sender = textAt(registration, 'sender_localpart');
  const bot = sender === undefined ? [] : [`@${sender}:${own.server}`];
  const users = readPatterns(namespaces, 'users');
  const aliases = readPatterns(namespaces, 'aliases');
  const needed = [...bot, `@${own.prefix}a:${own.server}`].filter(
    (id) => !users.patterns.some(({ regex, exclusive }) => exclusive && regex.test(id)),
  );
  const rooms = at(namespaces, 'rooms') ?? [];
  return [
    ...users.faults,
    ...aliases.faults,
    ...widths('users', users.patterns, strangers('@', own, bot)),
    ...widths('aliases', aliases.patterns, strangers('#', own)),
    ...needed.map((id) => `namespaces.users: no exclusive regex matches ${id}`),
    ...(Array.isArray(rooms) && rooms.length === 0
      ? []
      : ['namespaces.rooms: must be an empty list: we are told of the rooms our users are in']),
  ];
}

function urlFault(url: unknown): string | undefined {
  if (url === null) return undefined;
  if (typeof url !== 'string') return 'must be a URL, or null for none';
  const { protocol, search, hash } = URL.parse(url) ?? {};
  if (protocol !== 'http:' && protocol !== 'https:') return 'must be a URL of http or https';
  if (search || hash || /[?#]/.test(url)) return 'must not have a query or a fragment';
  return url.endsWith('/') ? 'must not end with a slash' : undefined;
}

type ReadPattern = { readonly source: string; readonly regex: RegExp; readonly exclusive: boolean };

function readPatterns(namespaces: unknown, name: string): { patterns: ReadPattern[]; faults: string[] } {
  const faults: string[] = [];
  const entries = at(namespaces, name) ?? [];
  if (!Array.isArray(entries)) return { patterns: [], faults: [`namespaces.${name}: must be a list`] };
  const patterns = entries.flatMap((entry: unknown, index) => {
    const place = `namespaces.${name}[${index}]`;
    const exclusive = at(entry, 'exclusive');
    if (typeof exclusive !== 'boolean') faults.push(`${place}.exclusive: must be true or false`);
    const source = textAt(entry, 'regex');
    const regex = source === undefined ? undefined : compiled(source);
    if (regex) return [{ source: source!, regex, exclusive: exclusive === true }];
    faults.push(`${place}.regex: must be a text that is a regular expression`);
    return [];
  });
  return { patterns, faults };
}

function widths(name: string, patterns: readonly ReadPattern[], strangers: readonly string[]): string[] {
  return patterns.flatMap(({ source, regex }) => {
    const place = `namespaces.${name}: ${source}`;
    const anchored = source.startsWith('^') && source.endsWith('$');
    const stranger = strangers.find((id) => regex.test(id));
    return [
      ...(anchored ? [] : [`${place}: must begin with ^ and end with $`]),
      ...(stranger === undefined ? [] : [`${place}: also matches ${stranger}, which is not ours`]),
    ];
  });
}

/** Ids that are not ours, near enough to be taken in by a regex that is a little too wide. */
function strangers(sigil: string, { prefix, server }: Own, ours: readonly string[] = []): string[] {
  const undotted = (text: string) => text.replaceAll('.', 'x');
  const beginnings = Array.from(prefix, (_, length) => prefix.slice(0, length));
  const localparts = [
    ...beginnings.flatMap((begun) => [begun, `${begun}zz`, `${begun}-0`]),
    ...['alice', `x${prefix}`, `x${prefix}a`, `${undotted(prefix)}a`, `${prefix.toUpperCase()}a`],
  ];
  const servers = ['elsewhere.example', `${server}.example`, `x${server}`, `${server}:1`, undotted(server)];
  const ids = [
    ...localparts.map((localpart) => `${sigil}${localpart}:${server}`),
    ...servers.map((other) => `${sigil}${prefix}a:${other}`),
  ];
  const isOurs = (id: string) => id.startsWith(sigil + prefix) && serverOf(id) === server;
  return ids.filter((id) => !isOurs(id) && !ours.includes(id));
}

function compiled(source: string): RegExp | undefined {
  try {
    return new RegExp(source);
  } catch {
    return undefined;
  }
}

/** As a part of a regex that stands for itself, in every dialect that homeservers use. */
const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
