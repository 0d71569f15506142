/**
 * What `sweep` does to turns that nobody came back for. By schedule: queued turns that no worker could start, questions
 * nobody answered, deliveries whose hour is over. On the dead-letter queues: turns no worker could finish. It runs apart
 * from the worker, since a worker that can't even start runs no line of ours.
 */
import { shards } from '../runtime/table.ts';
import { movesDue } from '../turns/conditions.ts';
import { getConsent, putConsent } from '../turns/consent.ts';
import { hasEarlier } from '../turns/conversation.ts';
import {
  asksConsent,
  type Head,
  headChange,
  headOf,
  isExpired,
  isTerminal,
  leaseOver,
} from '../turns/head.ts';
import { keys } from '../turns/keys.ts';
import { getMeta, type Meta } from '../turns/meta.ts';
import { runOf } from '../turns/run.ts';
import { closeForeign } from '../turns/takeover.ts';
import { settleRoom } from './note.ts';
import { again, done, type Handled, type Invocation, type WorkDeps } from './ports.ts';
import { stillAsking } from './receive.ts';

const PER_SHARD = 50;
/** Something else goes first, or a message was sent again: looked at again after this, ms. */
const LATER_MS = 10 * 60_000;
const MAX_SENT_AGAIN = 3;

/** Every turn that is due; how many there were. One that fails is counted and left for the next run. */
export async function sweepTurns(deps: WorkDeps, invocation: Invocation): Promise<number> {
  let due = 0;
  for (const shard of shards) {
    for (const { pk: turn, sk } of await deps.table.due(shard, deps.clock.now(), PER_SHARD)) {
      if (invocation.remaining() < 90_000) return due;
      if (sk !== 'HEAD') continue;
      due++;
      await sweepTurn(deps, turn, invocation).catch((error: unknown) => {
        deps.count('SweepErrors');
        deps.log('a turn was left due', { turn, error: error instanceof Error ? error.name : typeof error });
      });
    }
  }
  return due;
}

async function sweepTurn(deps: WorkDeps, turn: string, invocation: Invocation): Promise<void> {
  const row = await deps.table.get(keys.head(turn));
  const meta = await getMeta(deps.table, turn);
  if (!row || !meta) return;
  const head = headOf(row);
  if (isTerminal(head) || (head.dueAt ?? Number.POSITIVE_INFINITY) > deps.clock.now()) return;
  if (head.phase === 'delivering') return closeDue(deps, turn, meta, head, 'delivery_failed', invocation);
  if (head.status === 'queued') return sweepQueued(deps, turn, meta, head, invocation);
  if (asksConsent(head)) return sweepWaiting(deps, turn, meta, head);
}

/** A queued turn waits for its turn, or is sent again; the third time it ends. */
async function sweepQueued(
  deps: WorkDeps,
  turn: string,
  meta: Meta,
  head: Head,
  invocation: Invocation,
): Promise<void> {
  const status = (await runOf(deps.table, meta.conversation, turn))?.head.status;
  const held = status === 'queued' || status === 'running';
  if (held || (await hasEarlier(deps.table, meta))) return move(deps, turn, head, {});
  const sent = head.nudged ?? 0;
  if (sent >= MAX_SENT_AGAIN) return closeDue(deps, turn, meta, head, 'never_started', invocation);
  await deps.queue.send(turn, meta.conversation, `${turn}.sweep.${sent}`);
  await move(deps, turn, head, { nudged: sent + 1 });
}

/** The time for an answer is over: the answer is no, and the turn goes on with that. */
async function sweepWaiting(deps: WorkDeps, turn: string, meta: Meta, head: Head): Promise<void> {
  const seq = head.tail;
  if (!(await getConsent(deps.table, turn, seq)))
    await putConsent(
      deps.table,
      turn,
      seq,
      { by: 'sweep', choice: 'no', at: deps.clock.now() },
      meta.expires,
    );
  await deps.queue.send(turn, meta.conversation, `${turn}.consent.${seq}.${head.dueAt}`);
  await move(deps, turn, head, {});
}

async function move(deps: WorkDeps, turn: string, seen: Head, change: { nudged?: number }): Promise<void> {
  await deps.table.update({
    op: 'sweep moves due',
    key: keys.head(turn),
    ...headChange({ ...change, dueAt: deps.clock.now() + LATER_MS }),
    when: movesDue(seen),
  });
}

/** Ends a turn by date. The message that will see to its note goes first: a crash behind the close then loses nothing. */
async function closeDue(
  deps: WorkDeps,
  turn: string,
  meta: Meta,
  head: Head,
  reason: string,
  invocation: Invocation,
): Promise<void> {
  if (head.status === 'running' && !leaseOver(head, deps.clock.now())) return;
  await deps.queue.send(turn, meta.conversation, `${turn}.note.${head.dueAt}`);
  const closed = await closeForeign(deps, turn, head, { status: 'error', reason });
  if (closed !== 'refused') await settleRoom(deps, turn, meta, closed, invocation);
}

/** A dead letter of a turn: closed as `error`, and its note sent. A turn that somebody still runs is left alone. */
export async function buryTurn(deps: WorkDeps, turn: string, invocation: Invocation): Promise<Handled> {
  for (;;) {
    if (invocation.remaining() < 30_000) return again(60);
    const row = await deps.table.get(keys.head(turn));
    const head = row && headOf(row);
    const meta = head && (await getMeta(deps.table, turn));
    if (!head || !meta || isExpired(head, deps.clock.now())) {
      deps.count('UnknownTurns');
      return done;
    }
    if (isTerminal(head))
      return (await settleRoom(deps, turn, meta, head, invocation)) === 'settled' ? done : again(60);
    if (head.status === 'running' && !leaseOver(head, deps.clock.now())) return again(60);
    // Its due time watches over the answer; here it is only made sure that the room was asked.
    if (asksConsent(head)) return stillAsking(deps, turn, meta, head, invocation);
    await closeForeign(deps, turn, head, { status: 'error', reason: 'dead_letter' });
    await deps.clock.sleep(50);
  }
}
