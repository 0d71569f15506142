/**
 * How a turn passes to another owner, and how somebody who doesn't own it ends it. Every event is written by the
 * attempt that owns the turn, so both are a new attempt that begins with a rewind; attempts are counted here only.
 */
import type { Clock, Random } from '../runtime/clock.ts';
import { type Condition, noRow, type Table } from '../runtime/table.ts';
import { begins, closesIdle, takesOver } from './conditions.ts';
import { dropUnfinished } from './conversation.ts';
import type { EndStatus, TurnEvent } from './events.ts';
import {
  FORMAT,
  type Head,
  headAttributes,
  headChange,
  headOf,
  hotRows,
  isPaused,
  LEASE_MS,
} from './head.ts';
import { keys } from './keys.ts';
import { getMeta, KEEP_TURN_S, type Meta } from './meta.ts';
import { addTo, encodeRows } from './rows.ts';

/** How often a turn is tried before it ends as `error`, `attempts_exhausted`. */
export const MAX_ATTEMPTS = 3;

export type OwnerDeps = { readonly table: Table; readonly clock: Clock; readonly random: Random };

export const freshBatch = (random: Random): string => `${random.id(8)}.0`;

/** A worker with RUN in hand starts a queued turn, or goes on with a waiting one in the same attempt. */
export async function begin(deps: OwnerDeps, turn: string, seen: Head): Promise<Head | 'refused'> {
  const batch = freshBatch(deps.random);
  const change = headChange({
    status: 'running',
    leaseEnd: deps.clock.now() + LEASE_MS,
    batch,
    nudged: null,
    ...(seen.status === 'queued' && { attempt: 1 }),
    ...(!isPaused(seen) && { shard: null, dueAt: null }),
  });
  const row = await deps.table.update({
    op: 'begin',
    key: keys.head(turn),
    ...change,
    when: begins(seen, batch),
  });
  return row === 'refused' ? row : headOf(row);
}

/** Takes a running turn from an owner whose lease is over. */
export async function takeOver(deps: OwnerDeps, turn: string, seen: Head): Promise<Head | 'refused'> {
  const batch = freshBatch(deps.random);
  const now = deps.clock.now();
  const change = headChange({ ...nextAttempt(seen, []), batch, leaseEnd: now + LEASE_MS, nudged: null });
  const row = await deps.table.update({
    op: 'take over',
    key: keys.head(turn),
    ...change,
    when: takesOver(seen, batch, now),
  });
  return row === 'refused' ? row : headOf(row);
}

/** How a turn is ended by somebody who does not own it. `into` names the turn that answers in its place. */
export type ForeignEnd = {
  readonly status: Exclude<EndStatus, 'complete'>;
  readonly reason: string;
  readonly into?: string;
};

/**
 * Ends a turn one does not own: queued, waiting, or running with its lease over, as `seen`. Never under a fresh lease.
 * Refused: the turn is no longer as seen; read it again.
 */
export async function closeForeign(
  deps: OwnerDeps,
  turn: string,
  seen: Head,
  end: ForeignEnd,
): Promise<Head | 'refused'> {
  const batch = freshBatch(deps.random);
  const now = deps.clock.now();
  const events: TurnEvent[] = [
    ...(end.status === 'error' ? [{ type: 'error', code: end.reason } as const] : []),
    { type: 'turn_status', status: end.status, reason: end.reason, ...(end.into && { into: end.into }) },
  ];
  const change = headChange({
    ...nextAttempt(seen, events),
    status: end.status,
    reason: end.reason,
    batch,
    leaseEnd: now + LEASE_MS,
    nudged: null,
    shard: null,
    dueAt: null,
  });
  const when: Condition = seen.status === 'running' ? takesOver(seen, batch, now) : closesIdle(seen, batch);
  const row = await deps.table.update({ op: 'close foreign', key: keys.head(turn), ...change, when });
  if (row === 'refused') return row;
  const meta = await getMeta(deps.table, turn);
  if (meta) await dropUnfinished(deps.table, turn, meta);
  return headOf(row);
}

/** The rewind with which an attempt begins, and what its first write says behind it. */
function nextAttempt(seen: Head, events: readonly TurnEvent[]) {
  const rows = hotRows(seen);
  let seq = seen.tail;
  for (const event of [{ type: 'rewind', to: seen.safePoint } as const, ...events])
    addTo(rows, { seq: ++seq, event });
  const bound = { start: seen.tail + 1, to: seen.safePoint };
  return {
    attempt: seen.attempt + 1,
    tail: seq,
    hot: encodeRows(rows),
    // Attempt 1 begins with the log and needs no bound.
    ...(seen.attempt >= 1 && { bounds: [...seen.bounds, bound] }),
  };
}

/** Puts HEAD closed where there is none: the turn can then never start. Whatever is there stands. */
export async function closeAbsent(table: Table, turn: string, now: number, end: ForeignEnd): Promise<void> {
  const hot = encodeRows([[1, 'turn_status', { status: end.status, reason: end.reason }]]);
  const attributes = headAttributes({
    attempt: 1,
    status: end.status,
    phase: 'model',
    tail: 1,
    base: 0,
    safePoint: 0,
    reason: end.reason,
    hot,
    expires: Math.floor(now / 1000) + KEEP_TURN_S,
  });
  await table.put({ op: 'close absent', row: { ...keys.head(turn), ...attributes }, when: noRow });
}

/** How long a queued turn may stay unstarted before `sweep` looks after it, ms. */
export const QUEUED_MS = 25 * 60_000;

/** HEAD of a queued turn, as creating it puts it. */
export function queuedHead(meta: Meta, shard: string) {
  return headAttributes({
    attempt: 0,
    status: 'queued',
    phase: 'model',
    tail: 0,
    base: 0,
    safePoint: 0,
    hot: '[]',
    shard,
    dueAt: meta.created + QUEUED_MS,
    expires: meta.expires,
  });
}

/** Whether this release may touch a turn of that format. */
export const isKnownFormat = (head: Head): boolean => head.format === FORMAT;
