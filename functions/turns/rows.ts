/**
 * The log's storage form: neighbouring deltas of one type and one part become one row that keeps the length of each,
 * run-length coded, so that a cursor inside a row resumes exactly. Lengths are UTF-16 units; the text is JSON, in which
 * lone surrogates stay escapes. Merging is linear in the number of events.
 */
import type { Numbered, TurnEvent } from './events.ts';

type Lengths = [length: number, count: number][];
/** First seq, type, part, the deltas' text put together, and how long each was. */
export type DeltaRow = [
  seq: number,
  type: string,
  part: number | string | null,
  text: string,
  lengths: Lengths,
];
/** Seq, type, the event's other fields. */
export type EventRow = [seq: number, type: string, fields: Record<string, unknown>];
export type LogRow = DeltaRow | EventRow;

const isDeltaRow = (row: LogRow): row is DeltaRow => row.length === 5;

/** The part of a delta that may be merged; undefined for any other event. */
function deltaPart(event: TurnEvent): number | string | null | undefined {
  if (event.type !== 'text' && event.type !== 'reasoning') return undefined;
  const { part } = event;
  const isBare = Object.keys(event).length === (part === undefined ? 2 : 3);
  // In a row null stands for no part, so a part that is null stays an event of its own.
  return typeof event.text === 'string' && isBare && part !== null ? (part ?? null) : undefined;
}

/** Adds one event behind the rows; the last row may grow in place. */
export function addTo(rows: LogRow[], { seq, event }: Numbered): void {
  const part = deltaPart(event);
  if (part === undefined) {
    const { type, ...fields } = event;
    rows.push([seq, type, fields]);
    return;
  }
  const { type, text } = event as { type: string; text: string };
  const last = rows.at(-1);
  if (!last || !isDeltaRow(last) || last[1] !== type || last[2] !== part) {
    rows.push([seq, type, part, text, [[text.length, 1]]]);
    return;
  }
  last[3] += text;
  const run = last[4].at(-1)!;
  if (run[0] === text.length) run[1]++;
  else last[4].push([text.length, 1]);
}

export function toRows(events: Iterable<Numbered>): LogRow[] {
  const rows: LogRow[] = [];
  for (const event of events) addTo(rows, event);
  return rows;
}

/** A copy that can grow without changing the original. */
export function copyRows(rows: readonly LogRow[]): LogRow[] {
  return rows.map((row) =>
    isDeltaRow(row)
      ? [row[0], row[1], row[2], row[3], row[4].map((run) => [...run] as [number, number])]
      : row,
  );
}

/** How many events a row stands for. */
export function countOf(row: LogRow): number {
  return isDeltaRow(row) ? row[4].reduce((sum, [, count]) => sum + count, 0) : 1;
}

export const lastSeq = (row: LogRow): number => row[0] + countOf(row) - 1;

function delta([, type, part]: DeltaRow, text: string): TurnEvent {
  return { type, ...(part !== null && { part }), text } as TurnEvent;
}

/** The events of rows, one by one, as they were emitted. */
export function* eventsOf(rows: Iterable<LogRow>): Generator<Numbered> {
  for (const row of rows) {
    if (!isDeltaRow(row)) {
      yield { seq: row[0], event: { type: row[1], ...row[2] } as TurnEvent };
      continue;
    }
    let seq = row[0];
    let at = 0;
    for (const [length, count] of row[4])
      for (let i = 0; i < count; i++, at += length)
        yield { seq: seq++, event: delta(row, row[3].slice(at, at + length)) };
  }
}

/** What a row says behind `after`, as one event: a merged row is cut at the cursor. */
export function restOf(row: LogRow, after: number): TurnEvent {
  if (!isDeltaRow(row)) return { type: row[1], ...row[2] } as TurnEvent;
  let skip = after + 1 - row[0];
  let at = 0;
  for (const [length, count] of row[4]) {
    const taken = Math.min(skip, count);
    if (taken <= 0) break;
    at += taken * length;
    skip -= taken;
  }
  return delta(row, row[3].slice(at));
}

export const encodeRows = (rows: readonly LogRow[]): string => JSON.stringify(rows);
export const decodeRows = (text: string): LogRow[] => JSON.parse(text) as LogRow[];

/** Cuts a run of events into segments of at most about `limit` bytes each, between events; never an empty one. */
export function segmentsOf(events: Iterable<Numbered>, limit: number): Numbered[][] {
  const segments: Numbered[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const numbered of events) {
    const size = Buffer.byteLength(JSON.stringify(numbered.event)) + 12;
    if (bytes + size > limit) {
      segments.push([]);
      bytes = 0;
    }
    segments.at(-1)!.push(numbered);
    bytes += size;
  }
  return segments;
}
