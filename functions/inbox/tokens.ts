/**
 * The homeserver's proof: its `hs_token`, in the `Authorization` header or, from old servers, in the query. Compared in
 * constant time over digests. While a token is rotated the previous one is good until its end date.
 */
import { createHash, timingSafeEqual } from 'node:crypto';

export type HsTokens = {
  readonly current: string;
  readonly previous?: { readonly token: string; readonly until: number };
};

export type Proof = 'good' | 'missing' | 'wrong';

/** Spec v1.19, application service API, "Authorization": both forms must match if both are given. */
export function prove(
  tokens: HsTokens,
  authorization: string | undefined,
  query: string | undefined,
  now: number,
): Proof {
  const header = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const given = [header, query].filter((token) => token !== undefined);
  if (given.length === 0) return authorization === undefined ? 'missing' : 'wrong';
  const accepted = [
    tokens.current,
    ...(tokens.previous && tokens.previous.until > now ? [tokens.previous.token] : []),
  ];
  const same = given.length < 2 || equal(given[0]!, given[1]!);
  return same && accepted.some((token) => token !== '' && equal(given[0]!, token)) ? 'good' : 'wrong';
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const equal = (a: string, b: string) => timingSafeEqual(digest(a), digest(b));
