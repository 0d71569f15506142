/** R: the joined members of a room without the bot, at most 200, those who spoke last first. Names as the room gives them. */
import type { Table } from '../runtime/table.ts';
import type { MemoryDeps } from './buffer.ts';
import { keys, type Place } from './keys.ts';

/** `spokeAt`: when they last said something that memory still has, ms. */
export type RosterMember = {
  readonly userId: string;
  readonly name: string;
  readonly spokeAt?: number | undefined;
};

const MAX_MEMBERS = 200;

/** Brings the roster up to the members given; only what differs is written. Repeatable. */
export async function refreshRoster(
  { table, tenant }: MemoryDeps,
  room: string,
  members: readonly RosterMember[],
): Promise<void> {
  const place = { tenant, room };
  const known = new Map((await stored(table, place)).map((row) => [row.us as string, row]));
  const wanted = [...members].sort((a, b) => (b.spokeAt ?? 0) - (a.spokeAt ?? 0)).slice(0, MAX_MEMBERS);
  for (const { userId, name, spokeAt } of wanted) {
    const row = known.get(userId);
    if (row?.nm === name && (spokeAt ?? 0) <= ((row.at as number | undefined) ?? 0)) continue;
    await table.update({
      op: 'roster',
      key: keys.member(place, userId),
      set: { us: userId, nm: name, at: spokeAt ?? (row?.at as number | undefined) },
    });
  }
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
