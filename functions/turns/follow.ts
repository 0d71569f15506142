/**
 * Follows a turn: replays what a client has not seen, then goes on live until the terminal event. Lines carry the
 * cursor they end at and the first event they cover, so a client recognises doubles and gaps by itself. Followers share
 * nothing; a follower only reads, but for two hints to the writer (somebody watches; the owner seems dead).
 */
import type { Clock, Random } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';
import { nudges, watches } from './conditions.ts';
import { type Cursor, cursorText } from './cursor.ts';
import {
  attemptAt,
  FORMAT,
  type Head,
  headChange,
  headOf,
  isExpired,
  isTerminal,
  leaseOver,
  startOf,
} from './head.ts';
import { keys } from './keys.ts';
import type { Line } from './lines.ts';
import { readSegments, stretches } from './log.ts';

export type FollowDeps = {
  readonly table: Table;
  readonly clock: Clock;
  readonly random: Random;
  /** Sends a nudge to the watchdog queue: a hint, which may be lost. */
  readonly nudge: (turn: string) => Promise<void>;
};

export type FollowOptions = {
  readonly after: Cursor;
  /** Ends the stream with `bye`; monotonic ms. */
  readonly until: number;
  readonly signal?: AbortSignal;
};

export type Attached =
  | { readonly kind: 'unknown' }
  /** Another release wrote it, and this one can't read it. */
  | { readonly kind: 'other format' }
  /** The cursor lies beyond a finished turn. */
  | { readonly kind: 'bad cursor' }
  /** The client has everything already. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'following'; readonly lines: AsyncGenerator<Line, void> };

/** Looks where the client stands, and follows from there. */
export async function attach(deps: FollowDeps, turn: string, options: FollowOptions): Promise<Attached> {
  const head = await readHead(deps, turn);
  if (!head) return { kind: 'unknown' };
  if (head.format !== FORMAT) return { kind: 'other format' };
  const at = placeOf(head, options.after);
  if (isTerminal(head)) {
    if (at === 'ahead') return { kind: 'bad cursor' };
    if (options.after.attempt === head.attempt && at === head.tail) return { kind: 'ended' };
  }
  return { kind: 'following', lines: follow(deps, turn, options, head) };
}

/** HEAD as it is now; undefined once it has expired. */
export async function readHead(
  { table, clock }: Pick<FollowDeps, 'table' | 'clock'>,
  turn: string,
): Promise<Head | undefined> {
  const row = await table.get(keys.head(turn));
  const head = row && headOf(row);
  return head && !isExpired(head, clock.now()) ? head : undefined;
}

/** The event a client stands at: one of a lost attempt is brought back to where the next attempt began. */
function placeOf(head: Head, { attempt, seq }: Cursor): number | 'ahead' {
  if (attempt > Math.max(1, head.attempt)) return 'ahead';
  const place = attempt < head.attempt ? Math.min(seq, startOf(head, attempt + 1)! - 1) : seq;
  return place > head.tail ? 'ahead' : place;
}

const HOLE_TRIES = 3;

async function* follow(
  deps: FollowDeps,
  turn: string,
  options: FollowOptions,
  first: Head,
): AsyncGenerator<Line, void> {
  const { table, clock, signal } = { ...deps, ...options };
  const pace = createPace(deps);
  let cursor = options.after;
  let head: Head | undefined = first;
  let holes = 0;
  const told = new Set<'queued' | 'caught-up'>();
  for (;;) {
    if (signal?.aborted) return;
    if (clock.monotonic() >= options.until) {
      yield { type: 'bye', cursor: cursorText(cursor) };
      return;
    }
    if (!head) return;
    await hint(deps, turn, head);
    const at = placeOf(head, cursor);
    let news = false;
    if (at !== 'ahead' && at < head.tail) {
      const segments = head.forgotten ? [] : await readSegments(table, turn, head, at);
      const { lines, hole } = head.forgotten ? { lines: [], hole: true } : stretches(head, segments, at);
      for (const { event, from, seq, attempt } of lines) {
        cursor = { attempt, seq };
        yield { ...event, from, cursor: cursorText(cursor) };
        if (event.type === 'turn_status') return;
      }
      news = lines.length > 0;
      if (!hole) holes = 0;
      else if (!news && (head.forgotten || ++holes > HOLE_TRIES)) {
        yield* gap(head, cursor);
        if (isTerminal(head)) return;
        cursor = { attempt: attemptAt(head, head.tail), seq: head.tail };
      }
    } else if (isTerminal(head)) return;
    const state = head.attempt === 0 ? 'queued' : 'caught-up';
    // Not at a hole: what is still looked for is replay.
    if (placeOf(head, cursor) === head.tail && !told.has(state)) {
      told.add(state);
      yield { type: state };
    }
    await pace(head, news, options.until, signal);
    head = await readHead(deps, turn);
  }
}

/** What can't be shown any more is named; the last event of a finished turn is always delivered. */
function* gap(head: Head, cursor: Cursor): Generator<Line, void> {
  const end = isTerminal(head) ? head.tail - 1 : head.tail;
  const attempt = head.attempt;
  if (cursor.attempt !== attempt || cursor.seq < end)
    yield { type: 'gap', after: cursorText(cursor), cursor: cursorText({ attempt, seq: end }) };
  if (!isTerminal(head)) return;
  const status = head.status as 'complete';
  const event = {
    type: 'turn_status',
    status,
    ...(head.reason !== undefined && { reason: head.reason }),
  } as const;
  yield { ...event, from: head.tail, cursor: cursorText({ attempt, seq: head.tail }) };
}

/** Tells the writer that somebody watches, and a worker that the owner seems dead. Refusals do not matter. */
async function hint({ table, clock, nudge }: FollowDeps, turn: string, head: Head): Promise<void> {
  if (head.status !== 'running') return;
  const now = clock.now();
  const key = keys.head(turn);
  const seconds = Math.floor(now / 1000);
  if ((head.watchedUntil ?? 0) < seconds + 5) {
    const change = headChange({ watchedUntil: seconds + 15 });
    await table.update({ op: 'watch', key, ...change, when: watches(seconds + 5) });
  }
  if (!leaseOver(head, now) || (head.nudged ?? -1) >= head.attempt) return;
  const change = headChange({ nudged: head.attempt });
  const row = await table.update({ op: 'nudge', key, ...change, when: nudges(head.attempt) });
  if (row !== 'refused') await nudge(turn);
}

/** Polls when there is nothing new, in ms. */
const IDLE_MS = [15, 50, 100, 250] as const;
/** Spreads many followers, ms. */
const JITTER_MS = 4;
/** A poll that hit tries to be so much earlier the next time, one that missed so much later, ms: one in nine misses. */
const EARLIER_MS = 0.5;
const LATER_MS = 4;

/**
 * When to look next: right behind the writer's next flush, which its last one foretells. How long behind a commit it can
 * be seen (skew of the clocks and travel, which are never told apart) is learned on the connection: the first hit says no
 * more than when one happened to look, so it is halved towards the miss before it, and then kept where few polls miss.
 */
function createPace({ clock, random }: FollowDeps) {
  let behind: number | undefined;
  let earlier = EARLIER_MS;
  /** When the last read began, and whether it missed. */
  let asked = clock.now();
  let missed: number | undefined;
  let commit: number | undefined;
  let idle = 0;

  function learn(hit: number, window: number): number {
    if (behind === undefined) {
      behind = hit;
      earlier = Math.min(window, hit - (missed ?? hit)) / 2;
    } else if (missed !== undefined) {
      behind += LATER_MS;
      earlier = EARLIER_MS;
    }
    behind = Math.min(behind, hit) - earlier;
    earlier = Math.max(EARLIER_MS, earlier / 2);
    return behind;
  }

  return async (head: Head, news: boolean, until: number, signal?: AbortSignal): Promise<void> => {
    const now = clock.now();
    let wait: number = IDLE_MS[Math.min(idle, IDLE_MS.length - 1)]!;
    if (news && head.committedAt !== undefined && head.committedAt !== commit) {
      commit = head.committedAt;
      const window = head.flushWindow ?? 0;
      if (missed !== undefined) missed -= commit;
      const due = commit + window + learn(asked - commit, window) + random.unit() * JITTER_MS;
      wait = Math.max(5, due - now);
      missed = undefined;
      idle = 0;
    } else {
      missed = asked;
      idle++;
    }
    await clock.sleep(Math.min(wait, Math.max(1, until - clock.monotonic())), signal);
    asked = clock.now();
  };
}
