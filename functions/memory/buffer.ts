/**
 * The buffer of a room: captured messages in order of time, each once, until a compaction puts them into a chunk. A
 * message is uncompacted if its row has no chunk and is not redacted; pointers (B) only help to find it.
 */
import { noRow, type Row, shardOf, type Table } from '../runtime/table.ts';
import { keys, type Place } from './keys.ts';
import { type Captured, getMessage, type Message, messageOf, putMessage } from './messages.ts';

/** A room is due this long after its first uncompacted message, or at once when so many people's messages wait. */
const DUE_MS = 5 * 60_000;
const FULL = 20;
const COUNT_LIMIT = 60;

export type MemoryDeps = { readonly table: Table; readonly tenant: string };

/** Puts messages of one room into the buffer; the ledger is touched once for all. Repeatable: each stands there once. */
export async function capture(
  { table, tenant }: MemoryDeps,
  room: string,
  messages: readonly Captured[],
  now: number,
): Promise<void> {
  if (messages.length === 0) return;
  const place = { tenant, room };
  await Promise.all(messages.map((message) => captureOne(table, place, message)));
  const full = messages.some(({ bot }) => !bot) && (await isFull(table, place));
  const shard = shardOf(keys.ledger(place).pk);
  await table.update({
    op: 'ledger',
    key: keys.ledger(place),
    add: { seq: 1 },
    set: { room, tenant, sh: shard, ...(full && { du: now }) },
    ...(!full && { init: { du: now + DUE_MS } }),
  });
}

async function captureOne(table: Table, place: Place, message: Captured): Promise<void> {
  await putMessage(table, place, message);
  // A redaction or a compaction may have come in between; a pointer that strays all the same is removed by the compactor.
  const row = await getMessage(table, place, message.event);
  if (!row || row.red || row.chunk !== undefined) return;
  const { at, order, event, bot } = message;
  const pointer = { ...keys.pointer(place, { at, order, event }), ev: event };
  await table.put({ op: 'pointer', row: bot ? { ...pointer, bot } : pointer, when: noRow });
}

async function isFull(table: Table, place: Place): Promise<boolean> {
  const range = { ...keys.pointers(place), limit: COUNT_LIMIT };
  if ((await table.count(range)) < FULL) return false;
  return (await table.query(range)).filter((pointer) => !pointer.bot).length >= FULL;
}

/** The newest uncompacted messages of a room, oldest first; those of the room it replaced fill up what is missing. */
export async function recent(
  { table, tenant }: MemoryDeps,
  room: string,
  limit: number,
  predecessor?: string,
): Promise<Message[]> {
  const place = { tenant, room };
  const pointers = await table.query({ ...keys.pointers(place), limit, newestFirst: true });
  const rows = await table.getMany(pointers.map((pointer) => keys.message(place, pointer.ev as string)));
  const messages = rows.filter(isUncompacted).map(messageOf).sort(byTime);
  if (predecessor === undefined || messages.length >= limit) return messages;
  return [...(await recent({ table, tenant }, predecessor, limit - messages.length)), ...messages];
}

export const isUncompacted = (row: Row): boolean =>
  row.chunk === undefined && !row.red && row.body !== undefined;

const byTime = (a: Message, b: Message) => a.at - b.at || (a.order < b.order ? -1 : 1);
