/**
 * Reads a turn's log from HEAD and the segments: the owner's whole view after a takeover, and the lines a follower has
 * not seen. Rows of an attempt that lost are recognised by their key and left out, so nothing dead is ever shown.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Row, Table } from '../runtime/table.ts';
import type { Numbered } from './events.ts';
import { attemptAt, type Head, headOf, hotRows, startOf } from './head.ts';
import { keys } from './keys.ts';
import { countOf, decodeRows, eventsOf, type LogRow, restOf } from './rows.ts';

/** Segments read in one step. A segment holds at least 520 bytes, so this is bounded by the log's own size. */
const MAX_SEGMENTS = 10_000;

/** A segment as stored: which attempt wrote it, from which event to which. A forgotten one has no rows. */
export type Segment = {
  readonly attempt: number;
  readonly first: number;
  readonly last: number;
  readonly rows: LogRow[];
};

export function segmentOf(row: Row): Segment {
  const [, last, attempt] = row.sk.split('#');
  return {
    attempt: Number(attempt),
    first: row.f as number,
    last: Number(last),
    rows: row.h === undefined ? [] : decodeRows(row.h as string),
  };
}

/**
 * Attempt n+1 starts at the committed tail + 1, so a row of attempt n that ends there or later was never committed;
 * a row of the running attempt is committed up to HEAD's tail.
 */
export function isBelieved(head: Head, segment: Pick<Segment, 'attempt' | 'last'>): boolean {
  const next = startOf(head, segment.attempt + 1);
  return next !== undefined
    ? segment.last < next
    : segment.attempt <= head.attempt && segment.last <= head.tail;
}

/** The believed segments with events in (`after`, HEAD's base], in order. */
export async function readSegments(
  table: Table,
  turn: string,
  head: Head,
  after: number,
): Promise<Segment[]> {
  if (after >= head.base) return [];
  const rows = await table.query({ ...keys.segments(turn, after, head.base), limit: MAX_SEGMENTS });
  return rows.map(segmentOf).filter((segment) => isBelieved(head, segment));
}

/** Finds the row that holds an event. Asked in ascending order, so it walks on from where it stood. */
function finder(head: Head, segments: readonly Segment[]) {
  const hot = hotRows(head);
  const rows = segments.flatMap((segment) => segment.rows).concat(hot);
  let at = 0;
  return (seq: number): LogRow | undefined => {
    while (at < rows.length && rows[at]![0] + countOf(rows[at]!) <= seq) at++;
    const row = rows[at];
    return row && row[0] <= seq ? row : undefined;
  };
}

/** The stretch of the log one line stands for. `seq` is its last event; the cursor is `attempt.seq`. */
export type Stretch = {
  readonly event: Numbered['event'];
  readonly from: number;
  readonly seq: number;
  readonly attempt: number;
};

/**
 * What lies between a follower's `cursor` and HEAD's tail, along the canonical path: where an attempt began with a
 * rewind behind the follower, the path jumps to that rewind. `hole` says that a row is missing and the lines end before it.
 */
export function stretches(
  head: Head,
  segments: readonly Segment[],
  cursor: number,
): { lines: Stretch[]; hole: boolean } {
  const find = finder(head, segments);
  const lines: Stretch[] = [];
  let seen = cursor;
  while (seen < head.tail) {
    const jump = head.bounds.findLast((bound) => bound.start > seen && bound.to <= seen);
    const next = jump ? jump.start : seen + 1;
    const row = find(next);
    if (!row) return { lines, hole: true };
    const last = row[0] + countOf(row) - 1;
    lines.push({ event: restOf(row, next - 1), from: seen + 1, seq: last, attempt: attemptAt(head, last) });
    seen = last;
  }
  return { lines, hole: false };
}

/** The events that count: a rewind takes back what lies behind its `to`, and is itself no part of the turn. */
export function canonical(events: Iterable<Numbered>): Numbered[] {
  const kept: Numbered[] = [];
  for (const numbered of events) {
    if (numbered.event.type !== 'rewind') kept.push(numbered);
    else while (kept.length > 0 && kept.at(-1)!.seq > numbered.event.to) kept.pop();
  }
  return kept;
}

/** The whole log up to HEAD's tail, dead text included; undefined if a row is missing. */
export function wholeLog(head: Head, segments: readonly Segment[]): Numbered[] | undefined {
  const events: Numbered[] = [];
  for (const numbered of eventsOf([...segments.flatMap((segment) => segment.rows), ...hotRows(head)])) {
    if (numbered.seq <= events.length) continue;
    if (numbered.seq !== events.length + 1) return undefined;
    events.push(numbered);
  }
  return events.length >= head.tail ? events.slice(0, head.tail) : undefined;
}

/** The whole log as its owner sees it. A hole is looked at again; `lost` if it stays, or the turn is another's by then. */
export async function readLog(
  table: Table,
  clock: Clock,
  turn: string,
  head: Head,
): Promise<Numbered[] | 'lost'> {
  for (let tries = 0; tries < 5; tries++) {
    const events = wholeLog(head, await readSegments(table, turn, head, 0));
    if (events) return events;
    await clock.sleep(100);
    const row = await table.get(keys.head(turn));
    if (!row || headOf(row).attempt !== head.attempt) return 'lost';
  }
  return 'lost';
}

/** The words of the answer so far: the text of the events that count, parts apart by a blank line. */
export function textOf(events: readonly Numbered[]): string {
  let text = '';
  let part: number | string | undefined;
  for (const { event } of events) {
    if (event.type !== 'text') continue;
    if (text && event.part !== part) text += '\n\n';
    part = event.part;
    text += event.text;
  }
  return text;
}
