/** Reading a log: the canonical path across rewinds, rows nobody committed, holes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { attemptAt, type Head, headAttributes, startOf } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import {
  canonical,
  isBelieved,
  readLog,
  readSegments,
  type Segment,
  stretches,
  textOf,
  wholeLog,
} from '../../functions/turns/log.ts';
import { encodeRows, eventsOf, toRows } from '../../functions/turns/rows.ts';
import { turnId, turnRig } from './rig.ts';

type Log = {
  readonly head: Head;
  readonly segments: readonly Segment[];
  readonly events: readonly Numbered[];
};

/** The end of a step among an attempt's words. */
const END = '|';

/** The log of attempts, each but the first with a rewind to the last whole step; where it is cut into segments. */
function logOf(attempts: readonly (readonly string[])[], cuts: readonly number[] = []): Log {
  const events: Numbered[] = [];
  const bounds: { start: number; to: number }[] = [];
  const add = (event: TurnEvent) => events.push({ seq: events.length + 1, event });
  for (const [index, words] of attempts.entries()) {
    if (index > 0) {
      const to = canonical(events).findLast(({ event }) => event.type === 'step-end')?.seq ?? 0;
      bounds.push({ start: events.length + 1, to });
      add({ type: 'rewind', to });
    }
    for (const text of words) add(text === END ? { type: 'step-end' } : { type: 'text', part: 0, text });
  }
  const attemptOf = (seq: number) => 1 + bounds.filter(({ start }) => start <= seq).length;
  const ends = [...new Set(cuts.map((cut) => Math.min(cut, events.length)))].sort((a, b) => a - b);
  const segments: Segment[] = [];
  let from = 0;
  for (const end of ends) {
    // A segment is one attempt's, though it may hold what an earlier one left hot.
    if (end > from)
      segments.push({
        attempt: attemptOf(end),
        first: from + 1,
        last: end,
        rows: toRows(events.slice(from, end)),
      });
    from = Math.max(from, end);
  }
  const head: Head = {
    format: 1,
    attempt: attempts.length,
    status: 'running',
    phase: 'model',
    tail: events.length,
    base: from,
    safePoint: 0,
    bounds,
    hot: encodeRows(toRows(events.slice(from))),
  };
  return { head, segments, events };
}

const words = fc.array(fc.constantFrom('a', 'bb', '', END), { maxLength: 6 });
const logs = fc
  .tuple(fc.array(words, { minLength: 1, maxLength: 4 }), fc.array(fc.nat(25), { maxLength: 4 }))
  .map((given) => logOf(...given));

const textAt = (events: readonly Numbered[]) =>
  canonical(events)
    .map(({ event }) => ('text' in event ? event.text : ''))
    .join('');

describe('the canonical path', () => {
  it('brings every follower to the same text, wherever it stands', () => {
    fc.assert(
      fc.property(logs, ({ head, segments, events }) => {
        for (let seen = 0; seen <= head.tail; seen++) {
          const { lines, hole } = stretches(head, segments, seen);
          expect(hole).toBe(false);
          let at = seen;
          let have = canonical(events.slice(0, seen));
          for (const line of lines) {
            expect(line.from).toBe(at + 1);
            expect(line.seq).toBeGreaterThan(at);
            expect(line.attempt).toBe(attemptAt(head, line.seq));
            if (line.event.type === 'rewind') {
              const { to } = line.event;
              have = have.filter(({ seq }) => seq <= to);
            } else have = [...have, { seq: line.seq, event: line.event }];
            at = line.seq;
          }
          expect(at).toBe(head.tail);
          expect(have.map(({ event }) => ('text' in event ? event.text : '')).join('')).toBe(textAt(events));
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('jumps over attempts that are taken back', () => {
    const { head, segments } = logOf([['a', END, 'b'], ['c'], ['d']], [4]);
    expect(stretches(head, segments, 0).lines).toEqual([
      { event: { type: 'text', part: 0, text: 'a' }, from: 1, seq: 1, attempt: 1 },
      { event: { type: 'step-end' }, from: 2, seq: 2, attempt: 1 },
      { event: { type: 'rewind', to: 2 }, from: 3, seq: 6, attempt: 3 },
      { event: { type: 'text', part: 0, text: 'd' }, from: 7, seq: 7, attempt: 3 },
    ]);
    expect(stretches(head, segments, 3).lines[0]).toMatchObject({ from: 4, seq: 6 });
  });

  it('ends at a hole', () => {
    const { head, segments } = logOf([['a', END, 'b', 'c']], [1, 2, 3]);
    const { lines, hole } = stretches(head, [segments[0]!, segments[2]!], 0);
    expect([lines.map(({ seq }) => seq), hole]).toEqual([[1], true]);
  });
});

describe('canonical', () => {
  it('takes back what lies behind a rewind, and the rewind itself', () => {
    const { events } = logOf([['a', END, 'b'], ['c']]);
    expect(canonical(events).map(({ seq }) => seq)).toEqual([1, 2, 5]);
  });
});

describe('a row', () => {
  const { head } = logOf([['a', 'b', 'c'], ['d'], []]);

  it.each([
    [1, 3, true],
    [1, 4, false],
    [2, 5, true],
    [2, 6, false],
    [3, 6, true],
    [3, 7, false],
    [4, 6, false],
  ])('of attempt %i that ends at %i is believed: %s', (attempt, last, believed) => {
    expect([startOf(head, 2), startOf(head, 3), head.tail]).toEqual([4, 6, 6]);
    expect(isBelieved(head, { attempt, last })).toBe(believed);
  });
});

describe('from the store', () => {
  const turn = turnId('T');
  const segment = (last: number, attempt: number, events: readonly Numbered[]) => ({
    ...keys.segment(turn, last, attempt),
    f: events[0]!.seq,
    n: 1,
    h: encodeRows(toRows(events)),
  });
  const { head, events } = logOf([['a', 'b', 'c', 'd']], [2, 3]);

  async function stored(withGap = false) {
    const rig = turnRig();
    const { bounds: _, format: __, ...attributes } = head;
    await rig.table.put({ op: 'put', row: { ...keys.head(turn), ...headAttributes(attributes) } });
    await rig.table.put({ op: 'put', row: segment(2, 1, events.slice(0, 2)) });
    if (!withGap) await rig.table.put({ op: 'put', row: segment(3, 1, events.slice(2, 3)) });
    // Of an attempt that never committed it.
    await rig.table.put({
      op: 'put',
      row: segment(3, 2, [{ seq: 3, event: { type: 'text', text: 'dead' } }]),
    });
    return rig;
  }

  it('come the segments behind a place, without what is dead', async () => {
    const { table } = await stored();
    expect((await readSegments(table, turn, head, 0)).map(({ last }) => last)).toEqual([2, 3]);
    expect((await readSegments(table, turn, head, 2)).map(({ last }) => last)).toEqual([3]);
    expect(await readSegments(table, turn, head, 3)).toEqual([]);
  });

  it('comes the whole log', async () => {
    const { table, clock } = await stored();
    expect(await readLog(table, clock, turn, head)).toEqual(events);
    expect([...eventsOf(toRows(events))]).toEqual(events);
  });

  it('a hole is looked at again, then the log is lost', async () => {
    const rig = await stored(true);
    const read = readLog(rig.table, rig.clock, turn, head);
    await rig.clock.advance(150);
    await rig.table.put({ op: 'put', row: segment(3, 1, events.slice(2, 3)) });
    await rig.clock.advance(1_000);
    expect(await read).toEqual(events);

    const other = await stored(true);
    const lost = readLog(other.table, other.clock, turn, head);
    await other.clock.advance(1_000);
    expect(await lost).toBe('lost');
  });

  it('a hole under another attempt by now is lost at once', async () => {
    const rig = await stored(true);
    await rig.table.update({ op: 'u', key: keys.head(turn), set: { a: 2 } });
    const lost = readLog(rig.table, rig.clock, turn, head);
    await rig.clock.advance(100);
    expect(await lost).toBe('lost');
  });

  it('is no log if a row is missing', () => {
    expect(wholeLog(head, [])).toBeUndefined();
  });
});

describe('the words of an answer', () => {
  it('are its text, parts apart by a blank line', () => {
    const said = (part: number, text: string): TurnEvent => ({ type: 'text', part, text });
    const events: TurnEvent[] = [
      said(1, 'one '),
      { type: 'reasoning', text: 'no' },
      said(1, 'two'),
      { type: 'step-end' },
      said(2, 'three'),
    ];
    expect(textOf(events.map((event, index) => ({ seq: index + 1, event })))).toBe('one two\n\nthree');
    expect(textOf([])).toBe('');
  });
});
