/**
 * Who a Matrix user is to the agent: the full Matrix id, or what an operator's pattern makes of the ids of named servers.
 * A mapped principal carries a prefix that no Matrix id can begin with, so that it never equals an unmapped one.
 */
import { serverOf } from '../matrix/ids.ts';

export type PrincipalOf = (userId: string) => string;

/** The named group of the pattern that becomes the principal. */
const GROUP = 'principal';
const PREFIX = 'id:';

/** `pattern` is anchored by us. Without one, or for users of other servers, the principal is the user id. */
export function principals(pattern: RegExp | undefined, servers: readonly string[]): PrincipalOf {
  const mapped = new Set(servers);
  return (userId) => {
    const server = serverOf(userId);
    if (!pattern || server === undefined || !mapped.has(server)) return userId;
    const principal = pattern.exec(userId)?.groups?.[GROUP];
    return principal ? PREFIX + principal : userId;
  };
}

export class BadPattern extends Error {
  override readonly name = 'BadPattern';
}

/** Compiles a pattern, anchored; it must have the group `(?<principal>…)`. */
export function principalPattern(text: string): RegExp {
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^(?:${text})$`, 'u');
  } catch (error) {
    throw new BadPattern(`not a regular expression: ${(error as Error).message}`);
  }
  if (!text.includes(`(?<${GROUP}>`)) throw new BadPattern(`the pattern has no group (?<${GROUP}>…)`);
  return pattern;
}
