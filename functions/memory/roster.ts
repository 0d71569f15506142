/** R: the joined members of a room without the bot, at most 200, those who spoke last first. Names as the room gives them. */
import { absent, any, eq, type Table } from '../runtime/table.ts';
import type { MemoryDeps } from './buffer.ts';
import { keys, type Place } from './keys.ts';

export type RosterMember = { readonly userId: string; readonly name: string };

const MAX_MEMBERS = 200;

/** Brings the roster up to the members given; only what differs is written. Repeatable. */
export async function refreshRoster(
  { table, tenant }: MemoryDeps,
  room: string,
  members: readonly RosterMember[],
): Promise<void> {
  const place = { tenant, room };
  const known = new Map((await stored(table, place)).map((row) => [row.us as string, row]));
  const wanted = members.slice(0, MAX_MEMBERS);
  for (const { userId, name } of wanted)
    if (known.get(userId)?.nm !== name)
      await table.update({
        op: 'roster',
        key: keys.member(place, userId),
        set: { us: userId, nm: name },
        when: any(absent('us'), eq('us', userId)),
      });
  const here = new Set(wanted.map(({ userId }) => userId));
  for (const [userId, row] of known)
    if (!here.has(userId)) await table.remove({ op: 'roster left', key: row });
}

export async function roster({ table, tenant }: MemoryDeps, room: string): Promise<RosterMember[]> {
  const rows = await stored(table, { tenant, room });
  rows.sort((a, b) => ((b.at as number | undefined) ?? 0) - ((a.at as number | undefined) ?? 0));
  return rows.map((row) => ({ userId: row.us as string, name: row.nm as string }));
}

const stored = (table: Table, place: Place) =>
  table.query({ ...keys.members(place), limit: 2 * MAX_MEMBERS });
