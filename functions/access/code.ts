/**
 * A code by which a person confirms a session in a room with the bot: six digits, good for ten minutes and five tries.
 * An OpenID token names no audience, so whoever got one for another service could show it here; they can't read the room.
 */
import { all, eq, hasRow, type Row, smaller } from '../runtime/table.ts';
import { hashOf } from '../turns/ids.ts';
import { keys } from '../turns/keys.ts';
import type { AccessDeps } from './ports.ts';

const DIGITS = 6;
const GOOD_MS = 10 * 60_000;
const TRIES = 5;

/** Another code takes the place of the one before. */
export async function sendCode(
  { table, clock, random, confirm }: AccessDeps & Required<Pick<AccessDeps, 'confirm'>>,
  user: string,
): Promise<void> {
  const code = String(Math.floor(random.unit() * 10 ** DIGITS)).padStart(DIGITS, '0');
  const until = clock.now() + GOOD_MS;
  const row = { ...keys.code(user), hash: hashOf('code', user, code), until, ex: Math.ceil(until / 1_000) };
  await table.put({ op: 'code', row });
  await confirm(user, code);
}

/** Each try counts, also a right one; a code is good once. */
export async function checkCode(
  { table, clock, random }: AccessDeps,
  user: string,
  code: string,
): Promise<boolean> {
  const key = keys.code(user);
  const tried = await table.update({
    op: 'code tried',
    key,
    add: { tries: new Set([random.id(12)]) },
    when: all(hasRow, { is: 'any', of: [{ is: 'absent', name: 'tries' }, smaller('tries', TRIES)] }),
  });
  if (tried === 'refused') return false;
  const { hash, until } = tried as Row & { hash: string; until: number };
  if (until < clock.now() || hash !== hashOf('code', user, code)) return false;
  const spent = await table.update({
    op: 'code used',
    key,
    set: { hash: '-' },
    when: all(hasRow, eq('hash', hash)),
  });
  return spent !== 'refused';
}
