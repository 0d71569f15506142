/**
 * Every condition under which HEAD may change, in one place. Each wording was found by running schedules of crashes,
 * zombies, lost answers and competing takeovers against the model test; each simpler one was seen to lose or double
 * something. A condition first recognises its own batch, so that a repeated request is never refused.
 */
import { absent, all, any, below, type Condition, eq, hasRow, oneOf } from '../runtime/table.ts';
import { type Head, LEASE_MARGIN_MS, letterOf, phaseLetter, type Status } from './head.ts';

const status = (...of: Status[]): Condition =>
  of.length === 1 ? eq('st', letterOf(of[0]!)) : oneOf('st', of.map(letterOf));
const notDelivering = oneOf('ph', [phaseLetter('model'), phaseLetter('tool')]);
const notCancelled = absent('cx');

/** The owner's append. `unlessCancelled`: into waiting, into delivering, and `complete` outside of delivering. */
export function appends(own: {
  attempt: number;
  batch: string;
  tail: number;
  unlessCancelled: boolean;
}): Condition {
  const next = [status('running'), eq('t', own.tail), ...(own.unlessCancelled ? [notCancelled] : [])];
  return all(eq('a', own.attempt), any(eq('bi', own.batch), all(...next)));
}

/** The owner's beat: it renews the lease of a running attempt and nothing else. */
export const beats = (attempt: number): Condition => all(eq('a', attempt), status('running'));

/** The owner gives up the lease in mid-delivery; `last` is the batch it wrote last. */
export const pauses = (own: { attempt: number; batch: string; last: string }): Condition =>
  all(
    eq('a', own.attempt),
    any(eq('bi', own.batch), all(status('running'), eq('ph', phaseLetter('delivering')), eq('bi', own.last))),
  );

/** A worker with RUN in hand starts or continues what it has read. */
export const begins = (seen: Head, batch: string): Condition =>
  any(
    eq('bi', batch),
    all(
      eq('a', seen.attempt),
      eq('t', seen.tail),
      status('queued', 'waiting'),
      seen.batch === undefined ? absent('bi') : eq('bi', seen.batch),
      notCancelled,
    ),
  );

/** An attempt whose lease is over is taken from its owner; the tail and the lease are part of what was read. */
export const takesOver = (seen: Head, batch: string, now: number): Condition =>
  any(
    eq('bi', batch),
    all(eq('a', seen.attempt), eq('t', seen.tail), status('running'), below('le', now - LEASE_MARGIN_MS)),
  );

/** A turn that nobody runs is closed by somebody else. */
export const closesIdle = (seen: Head, batch: string): Condition =>
  any(eq('bi', batch), all(eq('a', seen.attempt), eq('t', seen.tail), status('queued', 'waiting')));

/** A cancel is asked of a running turn before its delivery. `unstarted`: only while no start event is there. */
export const asksCancel = (unstarted: boolean): Condition =>
  all(hasRow, status('running'), notDelivering, notCancelled, ...(unstarted ? [eq('sp', 0)] : []));

/** One nudge for each attempt. */
export const nudges = (attempt: number): Condition =>
  all(hasRow, eq('a', attempt), status('running'), any(absent('nu'), below('nu', attempt)));

/** A follower says that it is there, at most every few seconds. Both in s. */
export const watches = (soonerThan: number): Condition =>
  all(hasRow, status('running'), any(absent('wu'), below('wu', soonerThan)));

/** A waiting holder of RUN is fenced before it is replaced: whoever would go on with it must read again. */
export const fencesWaiting = (seen: Head, batch: string): Condition =>
  any(
    eq('bi', batch),
    all(status('waiting'), seen.batch === undefined ? absent('bi') : eq('bi', seen.batch)),
  );

/** `sweep` moves the due time of exactly the state it has read. */
export const movesDue = (seen: Head): Condition =>
  all(hasRow, status(seen.status), eq('t', seen.tail), eq('du', seen.dueAt!));

/** Only what is over can be forgotten. */
export const isOver: Condition = all(hasRow, status('complete', 'error', 'cancelled'));
