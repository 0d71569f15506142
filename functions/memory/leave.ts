/**
 * What becomes of a room's memory when the bot has left it, or when group rooms are no longer kept: after its time a left
 * room's messages are deleted; under another policy what is uncompacted is dropped unread. Both by `sweep`, over the due
 * index, a bounded piece at a time.
 */
import { type Row, shardOf, shards, type Table } from '../runtime/table.ts';
import type { MemoryDeps } from './buffer.ts';
import { keys, type Place } from './keys.ts';
import { redactMessage } from './messages.ts';

const PIECE = 200;
const PER_SHARD = 20;

/** The bot left the room: its memory is due for deletion after that time. */
export async function leaveRoom({ table, tenant }: MemoryDeps, room: string, until: number): Promise<void> {
  const key = keys.left({ tenant, room });
  await table.put({ op: 'room left', row: { ...key, room, tenant, sh: shardOf(key.pk), du: until } });
}

/** The bot is back: the memory is kept. */
export async function returnToRoom({ table, tenant }: MemoryDeps, room: string): Promise<void> {
  await table.remove({ op: 'room returned', key: keys.left({ tenant, room }) });
}

/** Goes through the rooms that are due. `keeps`: group rooms are kept, so only left ones are touched. */
export async function sweepRooms(
  deps: MemoryDeps,
  options: {
    readonly keeps: boolean;
    readonly now: number;
    readonly over: () => boolean;
    /** Whether the bot is still away: that it left may have been told late. */
    readonly isGone: (room: string) => Promise<boolean>;
  },
): Promise<number> {
  let touched = 0;
  for (const shard of shards) {
    for (const key of await deps.table.due(shard, options.now, PER_SHARD)) {
      if (options.over()) return touched;
      const row = await deps.table.get(key);
      if (!row || typeof row.du !== 'number' || row.du > options.now) continue;
      if (row.sk === 'LEFT') {
        const gone = await options.isGone(row.room as string);
        await (gone ? deleteRoom(deps.table, row) : returnToRoom(deps, row.room as string));
      } else if (row.sk === 'H' && !options.keeps) await dropUncompacted(deps.table, row, options.now);
      else continue;
      touched++;
    }
  }
  return touched;
}

const placeOf = (row: Row): Place => ({ tenant: row.tenant as string, room: row.room as string });

/** Deletes a piece of a left room's memory; the mark goes with the last of it. */
async function deleteRoom(table: Table, left: Row): Promise<void> {
  const rows = (
    await Promise.all(keys.everything(placeOf(left)).map((range) => table.query({ ...range, limit: PIECE })))
  ).flat();
  for (const { pk, sk } of rows) await table.remove({ op: 'room forgotten', key: { pk, sk } });
  if (rows.length === 0) await table.remove({ op: 'room gone', key: left });
}

/** Everything uncompacted leaves the buffer unread. With nothing left the ledger is no longer due. */
async function dropUncompacted(table: Table, ledger: Row, now: number): Promise<void> {
  const place = placeOf(ledger);
  const pointers = await table.query({ ...keys.pointers(place), limit: PIECE });
  for (const pointer of pointers) {
    await redactMessage(table, place, pointer.ev as string, now);
    await table.remove({ op: 'pointer dropped', key: pointer });
  }
  if (pointers.length === 0) await table.update({ op: 'ledger idle', key: ledger, remove: ['sh', 'du'] });
}
