/**
 * Creates a queued turn: META, its place in the conversation's line, HEAD. Each is put if it is not there, so a
 * repetition changes nothing and a turn that was closed before it could start stays closed. Sending its message to
 * the queue is the caller's next step.
 */
import { noRow, shardOf, type Table } from '../runtime/table.ts';
import { putUnfinished } from './conversation.ts';
import { keys } from './keys.ts';
import { type Meta, putMeta } from './meta.ts';
import { queuedHead } from './takeover.ts';

export async function createQueued(table: Table, turn: string, meta: Meta): Promise<void> {
  await putMeta(table, turn, meta);
  await putUnfinished(table, turn, meta);
  const row = { ...keys.head(turn), ...queuedHead(meta, shardOf(turn)) };
  await table.put({ op: 'head queued', row, when: noRow });
}
