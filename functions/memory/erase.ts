/**
 * What a redaction does to memory: the message's words and its edits' go, and the chunks they went into are hidden, their
 * summaries removed in the same write. It creates the rows it forbids, so that whatever runs late is refused.
 */
import { hasRow, type Row, type Table } from '../runtime/table.ts';
import type { MemoryDeps } from './buffer.ts';
import { keys, type Place } from './keys.ts';
import { redactMessage } from './messages.ts';

/** More generations of chunks than this are never rolled up. */
const MAX_TIERS = 5;

/** Repeatable from the top. */
export async function erase(
  { table, tenant }: MemoryDeps,
  room: string,
  event: string,
  now: number,
): Promise<void> {
  const place = { tenant, room };
  const message = await redactMessage(table, place, event, now);
  if (message.at !== undefined)
    await table.remove({
      op: 'pointer redacted',
      key: keys.pointer(place, { at: message.at as number, order: message.or as string, event }),
    });
  await hide(table, place, message.chunk as string | undefined);
  await hideOpen(table, place, event, now);
}

/** Hides a chunk and every one rolled up from it. */
async function hide(table: Table, place: Place, chunk: string | undefined, create = false): Promise<void> {
  let next = chunk;
  for (let tier = 0; next !== undefined && tier < MAX_TIERS; tier++) {
    const row: Row | 'refused' = await table.update({
      op: 'chunk hidden',
      key: keys.chunk(place, next),
      set: { hidden: true, dirty: true, ob: true },
      add: { rev: 1 },
      remove: ['summary'],
      ...(!create && { when: hasRow }),
    });
    next = row === 'refused' ? undefined : (row.parent as string | undefined);
  }
}

/** A compaction that is under way names its members in the ledger: its chunk is hidden before it is there. */
async function hideOpen(table: Table, place: Place, event: string, now: number): Promise<void> {
  const ledger = await table.update({
    op: 'ledger redacted',
    key: keys.ledger(place),
    add: { seq: 1 },
    set: { du: now },
    when: hasRow,
  });
  if (ledger === 'refused' || ledger.open === undefined) return;
  const open = JSON.parse(ledger.open as string) as { chunk: string; members: readonly [string, number][] };
  if (open.members.some(([member]) => member === event)) await hide(table, place, open.chunk, true);
}
