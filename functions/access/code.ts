/**
 * A code by which a person confirms a session in a room with the bot: six digits, good for ten minutes and five tries. An
 * OpenID token names no audience, so whoever got one for another service could show it here; they can't read the room.
 * Ten codes an hour keep guessing hopeless and the room quiet.
 */
import { absent, all, any, contains, eq, hasRow, type Row, smaller } from '../runtime/table.ts';
import { hashOf } from '../turns/ids.ts';
import { keys } from '../turns/keys.ts';
import { type AccessDeps, type Refused, refused } from './ports.ts';
import { overQuota } from './quota.ts';

const DIGITS = 6;
const GOOD_MS = 10 * 60_000;
const TRIES = 5;
const HOUR_MS = 3_600_000;
const AN_HOUR = 10;

/** Another code takes the place of the one before. Undefined once it is sent. */
export async function sendCode(
  { table, clock, random, confirm }: AccessDeps & Required<Pick<AccessDeps, 'confirm'>>,
  user: string,
): Promise<Refused | undefined> {
  const now = clock.now();
  const counted = { name: `code ${user}`, id: random.id(12), now, windowMs: HOUR_MS, limit: AN_HOUR };
  const over = await overQuota(table, counted);
  if (over !== undefined) return refused('too_many', 'too many codes are asked for', over);
  const code = String(Math.floor(random.unit() * 10 ** DIGITS)).padStart(DIGITS, '0');
  const until = now + GOOD_MS;
  const row = { ...keys.code(user), hash: hashOf('code', user, code), until, ex: Math.ceil(until / 1_000) };
  await table.put({ op: 'code', row });
  return (await confirm(user, code)) ? undefined : refused('retry', 'the code could not be sent', 5);
}

/** Each try counts, also a right one; a code is good once. */
export async function checkCode(
  { table, clock, random }: AccessDeps,
  user: string,
  code: string,
): Promise<boolean> {
  const key = keys.code(user);
  // By its id a write knows itself when the store's answer was lost and it is repeated.
  const id = random.id(12);
  const tried = await table.update({
    op: 'code tried',
    key,
    add: { tries: new Set([id]) },
    when: all(hasRow, any(absent('tries'), smaller('tries', TRIES), contains('tries', id))),
  });
  if (tried === 'refused') return false;
  const { hash, until } = tried as Row & { hash: string; until: number };
  if (until < clock.now() || hash !== hashOf('code', user, code)) return false;
  const spent = await table.update({
    op: 'code used',
    key,
    set: { hash: '-', by: id },
    when: any(eq('hash', hash), eq('by', id)),
  });
  return spent !== 'refused';
}
