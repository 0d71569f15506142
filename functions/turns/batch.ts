/**
 * What one write of the pump does to HEAD: the batch joins the hot rows, or everything hot is spilled into segments first
 * and HEAD lets go of it. Pure; the sizes that keep HEAD within one write unit are kept here.
 */
import { type Change, shardOf } from '../runtime/table.ts';
import type { EndStatus, Numbered } from './events.ts';
import { type Head, headChange, LEASE_MS, type Phase } from './head.ts';
import { addTo, copyRows, encodeRows, type LogRow } from './rows.ts';

/** UTF-8 bytes of `hot` after an owner's write; the rest of HEAD's room is for takeovers and a non-owner's close. */
export const HOT_BYTES = 520;
/** How long a delivery may take in all, from its first try; ms. */
export const DELIVERY_MS = 3_600_000;

/** What HEAD holds, as its owner knows it. */
export type Held = Pick<Head, 'tail' | 'base' | 'safePoint' | 'phase'> & { readonly hot: readonly LogRow[] };

/** Where a write leads: on, or into another state of the turn. */
export type Into = 'plain' | 'waiting' | 'delivering' | EndStatus;

export type Batch = {
  readonly change: Change;
  /** What HEAD holds once it is written. */
  readonly next: Held;
  /** These rows must lie in segments before the write; undefined: none. */
  readonly spill?: readonly LogRow[];
  /** The turn has no owner any more. */
  readonly leaves: boolean;
  /** A person's cancel that came first stops it. */
  readonly unlessCancelled: boolean;
};

export function batchOf(
  held: Held,
  events: readonly Numbered[],
  write: {
    readonly turn: string;
    readonly id: string;
    readonly into: Into;
    readonly now: number;
    readonly window: number;
    readonly reason?: string | undefined;
    readonly until?: number | undefined;
  },
): Batch {
  const { into, now } = write;
  const closing = into === 'complete' || into === 'error' || into === 'cancelled';
  const rows = copyRows(held.hot);
  for (const event of events) addTo(rows, event);
  const text = encodeRows(rows);
  const spilled = closing || into === 'waiting' || Buffer.byteLength(text) > HOT_BYTES;
  const tail = held.tail + events.length;
  const whole = events.findLast(({ event }) => event.type === 'step-end' || event.type === 'start');
  const next: Held = {
    tail,
    base: spilled ? tail : held.base,
    hot: spilled ? [] : rows,
    safePoint: into === 'waiting' || into === 'delivering' ? tail : (whole?.seq ?? held.safePoint),
    phase: into === 'delivering' ? 'delivering' : phaseAfter(held.phase, events),
  };
  const change = headChange({
    ...next,
    hot: spilled ? '[]' : text,
    batch: write.id,
    leaseEnd: into === 'waiting' ? null : now + LEASE_MS,
    committedAt: now,
    flushWindow: write.window,
    ...(into === 'waiting' && { status: 'waiting', shard: shardOf(write.turn), dueAt: write.until }),
    ...(into === 'delivering' && { shard: shardOf(write.turn), dueAt: now + DELIVERY_MS }),
    ...(closing && { status: into, reason: write.reason, shard: null, dueAt: null }),
  });
  return {
    change,
    next,
    ...(spilled && { spill: rows }),
    leaves: closing || into === 'waiting',
    unlessCancelled:
      into === 'waiting' || into === 'delivering' || (into === 'complete' && held.phase !== 'delivering'),
  };
}

/** A tool runs from its stored call to its result. */
function phaseAfter(phase: Phase, events: readonly Numbered[]): Phase {
  const last = events.findLast(({ event }) => event.type === 'tool-call' || event.type === 'tool-result');
  if (phase === 'delivering' || !last) return phase;
  return last.event.type === 'tool-call' ? 'tool' : 'model';
}
