/**
 * HEAD, the one row of a turn that changes: its state, its owner's lease and the newest events. Attribute names are one
 * or two letters, since the row must stay under 1,024 bytes (one write unit) whatever is added to it.
 */
import type { Change, Row, Value } from '../runtime/table.ts';
import { decodeRows, type LogRow } from './rows.ts';

/** The format this release writes; a row of another one is not touched. */
export const FORMAT = 1;

export type Status = 'queued' | 'running' | 'waiting' | 'complete' | 'error' | 'cancelled';
export type Phase = 'model' | 'tool' | 'delivering';
/** Attempt `n` ≥ 2 begins with its rewind at `start`, which takes the log back to `to`. Their order is the attempts'. */
export type Bound = { readonly start: number; readonly to: number };

export type Head = {
  readonly format: number;
  /** 0 = not started. */
  readonly attempt: number;
  readonly status: Status;
  readonly phase: Phase;
  /** The last event's number. */
  readonly tail: number;
  /** `hot` holds the events behind `base`; those up to it lie in segments. */
  readonly base: number;
  /** The end of the last whole step; 0 = there is no start event yet. */
  readonly safePoint: number;
  readonly batch?: string;
  /** The owner's lease, ms. */
  readonly leaseEnd?: number;
  readonly committedAt?: number;
  readonly flushWindow?: number;
  /** Somebody follows until then, s. */
  readonly watchedUntil?: number;
  readonly cancelAsked?: number;
  /** The attempt a follower nudged at, or how often a queued turn was sent again. */
  readonly nudged?: number;
  readonly bounds: readonly Bound[];
  readonly reason?: string;
  readonly forgotten?: boolean;
  /** s; after it the turn is as good as gone. */
  readonly expires?: number;
  readonly shard?: string;
  readonly dueAt?: number;
  /** JSON text of the newest rows. */
  readonly hot: string;
};

const LETTERS = {
  format: 'v',
  attempt: 'a',
  status: 'st',
  phase: 'ph',
  tail: 't',
  base: 'b',
  safePoint: 'sp',
  batch: 'bi',
  leaseEnd: 'le',
  committedAt: 'ca',
  flushWindow: 'fw',
  watchedUntil: 'wu',
  cancelAsked: 'cx',
  nudged: 'nu',
  bounds: 'bd',
  reason: 'rs',
  forgotten: 'fg',
  expires: 'ex',
  shard: 'sh',
  dueAt: 'du',
  hot: 'h',
} as const satisfies Record<keyof Head, string>;

const STATUS = {
  queued: 'q',
  running: 'r',
  waiting: 'w',
  complete: 'c',
  error: 'e',
  cancelled: 'x',
} as const;
const PHASE = { model: 'm', tool: 't', delivering: 'd' } as const;
const statusOf = new Map(Object.entries(STATUS).map(([name, letter]) => [letter as string, name as Status]));
const phaseOf = new Map(Object.entries(PHASE).map(([name, letter]) => [letter as string, name as Phase]));

export const letterOf = (status: Status): string => STATUS[status];
export const phaseLetter = (phase: Phase): string => PHASE[phase];

function toValue(name: keyof Head, value: unknown): Value {
  if (name === 'status') return STATUS[value as Status];
  if (name === 'phase') return PHASE[value as Phase];
  if (name === 'forgotten') return 1;
  if (name === 'bounds') return (value as Bound[]).map(({ start, to }) => `${start}:${to}`).join(',');
  return value as Value;
}

/** A change of HEAD in its stored letters; `null` removes an attribute, `undefined` leaves it as it is. */
export function headChange(next: { readonly [Name in keyof Head]?: Head[Name] | null | undefined }): Change {
  const set: Record<string, Value> = {};
  const remove: string[] = [];
  for (const [name, value] of Object.entries(next)) {
    const letter = LETTERS[name as keyof Head];
    if (value === null) remove.push(letter);
    else if (value !== undefined) set[letter] = toValue(name as keyof Head, value);
  }
  return { set, remove };
}

/** A whole new HEAD in its stored letters. */
export function headAttributes(head: Omit<Head, 'bounds' | 'format'>): Record<string, Value> {
  return headChange({ format: FORMAT, ...head }).set as Record<string, Value>;
}

export function headOf(row: Row): Head {
  const at = <T extends Value>(name: keyof Head) => row[LETTERS[name]] as T;
  const maybe = <T extends Value>(name: keyof Head) => row[LETTERS[name]] as T | undefined;
  return {
    format: at('format'),
    attempt: at('attempt'),
    status: statusOf.get(at('status'))!,
    phase: phaseOf.get(at('phase'))!,
    tail: at('tail'),
    base: at('base'),
    safePoint: at('safePoint'),
    batch: maybe('batch'),
    leaseEnd: maybe('leaseEnd'),
    committedAt: maybe('committedAt'),
    flushWindow: maybe('flushWindow'),
    watchedUntil: maybe('watchedUntil'),
    cancelAsked: maybe('cancelAsked'),
    nudged: maybe('nudged'),
    bounds: boundsOf(maybe('bounds')),
    reason: maybe('reason'),
    forgotten: row[LETTERS.forgotten] !== undefined,
    expires: maybe('expires'),
    shard: maybe('shard'),
    dueAt: maybe('dueAt'),
    hot: at('hot'),
  };
}

function boundsOf(text: string | undefined): Bound[] {
  if (!text) return [];
  return text.split(',').map((bound) => {
    const [start, to] = bound.split(':').map(Number);
    return { start: start!, to: to! };
  });
}

export const hotRows = (head: Head): LogRow[] => decodeRows(head.hot);

export const isTerminal = ({ status }: Pick<Head, 'status'>): boolean =>
  status === 'complete' || status === 'error' || status === 'cancelled';

/** Waiting for a person's yes; a turn paused in its delivery has the same status and another phase. */
export const asksConsent = (head: Head): boolean => head.status === 'waiting' && head.phase !== 'delivering';
export const isPaused = (head: Head): boolean => head.status === 'waiting' && head.phase === 'delivering';

/** How long a lease lasts, and how far two hosts' clocks may differ, in ms. */
export const LEASE_MS = 10_000;
export const LEASE_MARGIN_MS = 2_000;

export const leaseOver = (head: Head, now: number): boolean =>
  head.status === 'running' && head.leaseEnd !== undefined && head.leaseEnd < now - LEASE_MARGIN_MS;

export const isExpired = (head: Head, now: number): boolean =>
  head.expires !== undefined && head.expires * 1000 <= now;

/** Where an attempt's events begin; undefined if it has not begun. Attempt 1 begins with the log. */
export function startOf(head: Head, attempt: number): number | undefined {
  return attempt <= 1 ? 1 : head.bounds[attempt - 2]?.start;
}

/** The attempt that wrote an event. */
export function attemptAt(head: Head, seq: number): number {
  let attempt = 1;
  for (const [index, bound] of head.bounds.entries()) if (bound.start <= seq) attempt = index + 2;
  return attempt;
}
