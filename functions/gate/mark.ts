/** A: until when a thread stays active after an answer of the bot. It slides with each answer and never goes back. */
import { absent, any, below, type Row, type Table } from '../runtime/table.ts';
import { keys } from './keys.ts';

/** ms; exactly at that time the thread is no longer active. */
export const markOf = (row: Row | undefined): number | undefined => row?.until as number | undefined;

/** Marks a thread as active until the recorded time; a repetition, or an older record, changes nothing. */
export async function mark(table: Table, room: string, thread: string, until: number): Promise<void> {
  await table.update({
    op: 'mark',
    key: keys.mark(room, thread),
    set: { until, ex: Math.floor(until / 1000) + 3600 },
    when: any(absent('until'), below('until', until)),
  });
}
