/**
 * The pump: the one writer of a running attempt. It numbers the agent's events, shows each live, and commits them in
 * batches to HEAD and segments; it beats while nothing is written; it notices a cancel or a takeover and stops. One
 * write is in flight at a time, and a request that is repeated is repeated to the letter: what comes meanwhile is the
 * next batch. The table it is given must repeat unanswered calls (`runtime/patience.ts`).
 */
import type { Clock, Random } from '../runtime/clock.ts';
import { absent, any, atMost, type Row, type Table } from '../runtime/table.ts';
import { batchOf, type Held, type Into } from './batch.ts';
import { appends, beats, pauses } from './conditions.ts';
import {
  afterCommit,
  type EndStatus,
  type Message,
  type Numbered,
  storable,
  type TurnEvent,
} from './events.ts';
import { putFinal } from './final.ts';
import { type Head, headChange, headOf, hotRows, LEASE_MS, type Phase } from './head.ts';
import { keys } from './keys.ts';
import { encodeRows, eventsOf, type LogRow, segmentsOf, toRows } from './rows.ts';

/** Silence after which the lease is renewed, and after which nothing is shown, run or posted; ms. */
const BEAT_MS = 1_500;
const SILENT_MS = 8_000;
const WINDOW_MS = { watched: 100, alone: 250 };

const MAX_WAITING_BYTES = 1_000_000;
const SEGMENT_BYTES = 300_000;

/** A line as it is shown before it is stored: the same event and numbers that a reader will find. */
export type LiveLine = { readonly seq: number; readonly attempt: number; readonly event: TurnEvent };
/** `cancelled`: a person's cancel came first, and the turn is to be closed as such. `fenced`: the turn is another's. */
export type Written = 'written' | 'cancelled' | 'fenced';

export type PumpOptions = {
  readonly table: Table;
  readonly clock: Clock;
  readonly random: Random;
  readonly turn: string;
  /** HEAD as the start or takeover left it. */
  readonly head: Head;
  /** From a queue: nobody has a live line, so the short flush window is kept. */
  readonly queued: boolean;
  readonly live?: (line: LiveLine) => void;
  /** Each event as it gets its number, before it is stored. */
  readonly onEvent?: (event: Numbered) => void;
  /** Segment rows are kept this long, s since the epoch. */
  readonly segmentExpiry?: number;
};

export type Pump = ReturnType<typeof createPump>;

export function createPump(options: PumpOptions) {
  const { table, clock, random, turn, head } = options;
  const attempt = head.attempt;
  const nonce = random.id(8);
  let batches = 0;
  // What HEAD is known to hold.
  let held: Held = { ...head, hot: hotRows(head) };
  let { batch: lastBatch, watchedUntil, cancelAsked, dueAt } = head;
  // What is not in it yet.
  let next = held.tail;
  let pending: Numbered[] = [];
  let pendingBytes = 0;
  let acknowledged = clock.monotonic();
  let flushed = Number.NEGATIVE_INFINITY;
  let over = false;
  let writing: Promise<unknown> = Promise.resolve();
  let wake = new AbortController();
  const stopped = new AbortController();

  const window = () =>
    options.queued || (watchedUntil ?? 0) * 1000 > clock.now() ? WINDOW_MS.watched : WINDOW_MS.alone;
  const heard = () => clock.monotonic() - acknowledged < SILENT_MS;
  const mayAct = () => !stopped.signal.aborted && heard();

  function fence(): 'fenced' {
    stopped.abort('fenced');
    end();
    return 'fenced';
  }

  function end(): void {
    over = true;
    wake.abort();
  }

  function exclusively<T>(write: () => Promise<T>): Promise<T> {
    const turnOfMine = writing.then(write, write);
    writing = turnOfMine.catch(() => undefined);
    return turnOfMine;
  }

  function show({ seq, event }: Numbered): void {
    if (heard() && stopped.signal.reason !== 'fenced') options.live?.({ seq, attempt, event });
  }

  function learn(row: Row): void {
    acknowledged = clock.monotonic();
    ({ watchedUntil, cancelAsked } = headOf(row));
    if (cancelAsked !== undefined && held.phase !== 'delivering' && !stopped.signal.aborted)
      stopped.abort('cancelled');
  }

  /** Puts events into segment rows before HEAD lets go of them. A refusal means that a later batch of mine stands there. */
  async function spill(rows: readonly LogRow[], number: number): Promise<void> {
    for (const segment of segmentsOf(eventsOf(rows), SEGMENT_BYTES)) {
      const first = segment[0]!.seq;
      const key = keys.segment(turn, segment.at(-1)!.seq, attempt);
      const row = { ...key, v: 1, n: number, f: first, h: encodeRows(toRows(segment)) };
      await table.put({
        op: 'segment',
        row: options.segmentExpiry === undefined ? row : { ...row, ex: options.segmentExpiry },
        when: any(absent('pk'), atMost('n', number)),
      });
    }
  }

  /** The one append: everything pending becomes one batch, committed under this attempt and this tail. */
  async function append(
    into: Into,
    how: { reason?: string | undefined; until?: number } = {},
  ): Promise<Written> {
    if (over) return stopped.signal.reason === 'cancelled' ? 'cancelled' : 'fenced';
    const events = pending;
    pending = [];
    pendingBytes = 0;
    flushed = clock.monotonic();
    const id = `${nonce}.${++batches}`;
    const batch = batchOf(held, events, { turn, id, into, now: clock.now(), window: window(), ...how });
    if (batch.spill) await spill(batch.spill, batches);
    const answer = await table.update({
      op: `append ${into}`,
      key: keys.head(turn),
      ...batch.change,
      when: appends({ attempt, batch: id, tail: held.tail, unlessCancelled: batch.unlessCancelled }),
    });
    const row = answer === 'refused' ? await table.get(keys.head(turn)) : answer;
    const is = row && headOf(row);
    if (!row || (answer === 'refused' && is?.batch !== id)) {
      const cancelled =
        is?.attempt === attempt &&
        is.status === 'running' &&
        is.tail === held.tail &&
        is.cancelAsked !== undefined;
      if (!cancelled) return fence();
      // The close carries what was shown, under its numbers; what was not shown is taken back.
      pending = events.filter(({ event }) => !afterCommit.has(event.type));
      next = held.tail + pending.length;
      stopped.abort('cancelled');
      return 'cancelled';
    }
    held = batch.next;
    dueAt = headOf(row).dueAt;
    lastBatch = id;
    learn(row);
    if (batch.leaves) end();
    for (const event of events) if (afterCommit.has(event.event.type)) show(event);
    return 'written';
  }

  async function beat(): Promise<void> {
    if (over || clock.monotonic() - acknowledged < BEAT_MS) return;
    const lease = headChange({ leaseEnd: clock.now() + LEASE_MS });
    const row = await table.update({ op: 'beat', key: keys.head(turn), ...lease, when: beats(attempt) });
    if (over) return;
    if (row === 'refused') fence();
    else learn(row);
  }

  /** Flushes on the timer, never only when the next event comes, and beats in silence. Ends with the pump. */
  async function tick(): Promise<void> {
    while (!over) {
      const now = clock.monotonic();
      const flushAt = () => (pending.length > 0 ? flushed + window() : Number.POSITIVE_INFINITY);
      const due = Math.min(flushAt(), acknowledged + BEAT_MS);
      if (due > now) await clock.sleep(due - now, wake.signal);
      if (wake.signal.aborted) wake = new AbortController();
      if (over) return;
      await exclusively<unknown>(() => (flushAt() <= clock.monotonic() ? append('plain') : beat()));
    }
  }
  // A store that stays away beyond the table's patience ends the attempt as a takeover would.
  const ticking = tick().catch(fence);

  function emit(event: TurnEvent): number {
    const stored = storable(event);
    const numbered = { seq: ++next, event: stored.event };
    if (pending.length === 0) wake.abort();
    pending.push(numbered);
    pendingBytes += stored.bytes;
    options.onEvent?.(numbered);
    if (!afterCommit.has(stored.event.type)) show(numbered);
    return numbered.seq;
  }

  /** These events and no others end what is pending: numbered where no flush can come between. */
  const writeLast = (last: readonly TurnEvent[], into: Into, how?: Parameters<typeof append>[1]) =>
    exclusively(async () => {
      if (!over) for (const event of last) emit(event);
      return append(into, how);
    });

  return {
    attempt,
    /** Aborts with the reason `cancelled` or `fenced`: the model is to stop and no tool may start. */
    signal: stopped.signal,
    /** Written to within 8 s and not stopped: only then may a tool run or the room be told anything. */
    mayAct,
    get phase(): Phase {
      return held.phase;
    },
    /** When the delivery (or the question) must be over, ms. */
    get dueAt(): number | undefined {
      return dueAt;
    },
    /** Takes an event into the log and returns its number. It is stored with the next batch. */
    emit,
    /** Waits until there is room for more: over 1 MB unwritten, generation stops. */
    async room(): Promise<void> {
      while (pendingBytes > MAX_WAITING_BYTES && !over) await exclusively(() => append('plain'));
    },
    /** Stores everything emitted so far. */
    flush: (): Promise<Written> => exclusively(() => (pending.length > 0 ? append('plain') : idle())),
    /** Stores what is pending and the question, gives up the lease; the turn goes on when a person answers. */
    wait: (last: readonly TurnEvent[], until: number): Promise<Written> =>
      writeLast(last, 'waiting', { until }),
    /** Stores what is pending with the last step's end. From here a cancel is too late. */
    deliver: (last: readonly TurnEvent[]): Promise<Written> => writeLast(last, 'delivering'),
    /** The final message, then the last events and the status in one write. Nothing is written after it. */
    async close(status: EndStatus, message: Message, reason?: string): Promise<Written> {
      if (over) return 'fenced';
      // The same words as in the log: a longer message would fit no row.
      const done = storable({ type: 'done', message }).event as Extract<TurnEvent, { type: 'done' }>;
      await putFinal(table, turn, attempt, done.message, head.expires);
      const last: TurnEvent[] = [{ type: 'turn_status', status, ...(reason !== undefined && { reason }) }];
      if (status === 'complete') last.unshift(done);
      if (status === 'error') last.unshift({ type: 'error', code: reason ?? 'failed' });
      return writeLast(last, status, { reason });
    },
    /** Gives up the lease in mid-delivery. Whoever receives the turn next goes on with the delivery. */
    pause: (): Promise<Written> =>
      exclusively(async () => {
        if (over) return 'fenced';
        const batch = `${nonce}.${++batches}`;
        const row = await table.update({
          op: 'pause',
          key: keys.head(turn),
          ...headChange({ status: 'waiting', batch, leaseEnd: null }),
          when: pauses({ attempt, batch, last: lastBatch ?? '' }),
        });
        if (row === 'refused') return fence();
        end();
        return 'written';
      }),
    /** Stops the timers; what is pending stays unwritten. Resolves when nothing of the pump runs any more. */
    async stop(): Promise<void> {
      end();
      await ticking;
      await writing;
    },
  };

  async function idle(): Promise<Written> {
    if (!stopped.signal.aborted) return 'written';
    return stopped.signal.reason === 'fenced' ? 'fenced' : 'cancelled';
  }
}
