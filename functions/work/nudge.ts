/**
 * Whoever is blocked by a turn whose owner seems dead sends for a worker, once an attempt. It is only a hint: losing it
 * loses nothing.
 */
import { nudges } from '../turns/conditions.ts';
import { headChange, leaseOver } from '../turns/head.ts';
import { keys } from '../turns/keys.ts';
import type { RunTaken } from '../turns/run.ts';
import type { WorkDeps } from './ports.ts';

export async function nudgeHolder(
  { table, clock, queue }: WorkDeps,
  { turn, head }: Extract<RunTaken, { kind: 'blocked' }>,
): Promise<void> {
  if (!head || !leaseOver(head, clock.now())) return;
  const change = headChange({ nudged: head.attempt });
  const row = await table.update({
    op: 'nudge',
    key: keys.head(turn),
    ...change,
    when: nudges(head.attempt),
  });
  if (row !== 'refused') await queue.watch(turn, 0);
}
