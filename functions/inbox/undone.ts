/**
 * What `sweep` does to records: those left undone for two minutes are finished from the record, deferred events are sent
 * to a worker again, redactions that waited for a turn go on. Bounded in number; what is left is due at the next run.
 */
import { shards } from '../runtime/table.ts';
import { finishRecord } from './finish-record.ts';
import type { InboxDeps } from './ports.ts';
import { deferredSent, recordOf } from './record.ts';

const PER_SHARD = 50;

/** How many records were due. One that fails is counted and left for the next run. */
export async function finishUndone(deps: InboxDeps, until: () => boolean): Promise<number> {
  let due = 0;
  for (const shard of shards) {
    if (until()) break;
    const now = deps.clock.now();
    for (const key of await deps.table.due(shard, now, PER_SHARD)) {
      if (until()) break;
      due++;
      await finishOne(deps, key).catch((error: unknown) => {
        deps.count('SweepErrors');
        deps.log('a record was left undone', { error: error instanceof Error ? error.name : typeof error });
      });
    }
  }
  return due;
}

async function finishOne(deps: InboxDeps, key: { pk: string; sk: string }): Promise<void> {
  const row = await deps.table.get(key);
  if (!row || row.fin === true || typeof row.du !== 'number' || row.du > deps.clock.now()) return;
  const record = recordOf(row);
  if (record.decided) return finishRecord(deps, record);
  const [room, event] = [row.room as string, row.event as string];
  // The round is the due time: a repetition of this very step is one message.
  await deps.queue.decide(room, event, row.du);
  await deferredSent(deps.table, room, event, deps.clock.now());
}
