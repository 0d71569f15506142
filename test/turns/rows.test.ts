/** The log's storage form: whatever JSON can hold comes back, and a merged row is cut at any cursor. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Numbered, storable, type TurnEvent } from '../../functions/turns/events.ts';
import {
  addTo,
  copyRows,
  countOf,
  decodeRows,
  encodeRows,
  eventsOf,
  type LogRow,
  lastSeq,
  restOf,
  segmentsOf,
  toRows,
} from '../../functions/turns/rows.ts';

/** Text with lone surrogates, as a model's pieces may be cut. */
const text = fc.string({ unit: fc.constantFrom('a', 'é', '☃', '\ud83d', '\ude00', '"', '\\', '\n', '\0') });
const delta = fc.record(
  {
    type: fc.constantFrom('text', 'reasoning'),
    part: fc.constantFrom<unknown>(0, 1, '1', 'a', null, true, [1]),
    text,
  },
  { requiredKeys: ['type', 'text'] },
);
const odd = fc.constantFrom<unknown>(
  { type: 'text', text: 'a', cut: true },
  { type: 'text', part: 1, text: null },
  { type: 'text', part: 1 },
  { type: 'step-end', usage: { inputTokens: 1, outputTokens: 2 } },
  JSON.parse('{"type":"data","__proto__":{"a":1},"length":5}'),
);
const any = fc.dictionary(fc.string(), fc.jsonValue()).map((fields) => ({ ...fields, type: 'data' }));
const event = fc.oneof({ weight: 5, arbitrary: delta }, odd, any) as fc.Arbitrary<TurnEvent>;
const log = fc
  .array(event, { maxLength: 40 })
  .map((events): Numbered[] => events.map((one, index) => ({ seq: index + 1, event: storable(one).event })));

const stored = (rows: readonly LogRow[]) => decodeRows(encodeRows(rows));

describe('rows', () => {
  it('give back every event as it was, under its number', () => {
    fc.assert(
      fc.property(log, (events) => {
        expect([...eventsOf(stored(toRows(events)))]).toEqual(events);
        expect(JSON.stringify([...eventsOf(stored(toRows(events)))])).toBe(JSON.stringify(events));
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('are cut at every cursor', () => {
    fc.assert(
      fc.property(log, (events) => {
        for (const row of stored(toRows(events)))
          for (let after = row[0] - 1; after < lastSeq(row); after++) {
            const behind = events.slice(after, lastSeq(row)).map((one) => one.event);
            const words = behind.map((one) => ('text' in one ? String(one.text) : '')).join('');
            const rest = restOf(row, after);
            if (countOf(row) === 1) expect(rest).toEqual(behind[0]);
            else expect(rest).toEqual({ ...behind[0], text: words });
          }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it('merge neighbours of one type and one part with nothing else in them', () => {
    const pieces: TurnEvent[] = [
      { type: 'text', part: 1, text: 'ab' },
      { type: 'text', part: 1, text: 'cd' },
      { type: 'text', part: 1, text: '' },
      { type: 'text', part: 1, text: 'e' },
      { type: 'text', part: '1', text: 'f' },
      { type: 'text', text: 'g' },
      { type: 'reasoning', text: 'h' },
      { type: 'text', text: 'i', cut: true } as TurnEvent,
    ];
    expect(toRows(pieces.map((one, index) => ({ seq: index + 5, event: one })))).toEqual([
      [
        5,
        'text',
        1,
        'abcde',
        [
          [2, 2],
          [0, 1],
          [1, 1],
        ],
      ],
      [9, 'text', '1', 'f', [[1, 1]]],
      [10, 'text', null, 'g', [[1, 1]]],
      [11, 'reasoning', null, 'h', [[1, 1]]],
      [12, 'text', { text: 'i', cut: true }],
    ]);
  });

  it('count lengths in UTF-16 units and keep lone surrogates as escapes', () => {
    const rows = toRows([
      { seq: 1, event: { type: 'text', text: 'x\ud83d' } },
      { seq: 2, event: { type: 'text', text: '\ude00y' } },
    ]);
    expect(rows).toEqual([[1, 'text', null, 'x😀y', [[2, 2]]]]);
    expect(restOf(rows[0]!, 1)).toEqual({ type: 'text', text: '\ude00y' });
    expect(encodeRows(toRows([{ seq: 1, event: { type: 'text', text: '\ud83d' } }]))).toContain('\\ud83d');
  });

  it('grow in a copy without changing the original', () => {
    const original = toRows([{ seq: 1, event: { type: 'text', text: 'a' } }]);
    const copy = copyRows(original);
    addTo(copy, { seq: 2, event: { type: 'text', text: 'b' } });
    expect(original).toEqual([[1, 'text', null, 'a', [[1, 1]]]]);
    expect(copy).toEqual([[1, 'text', null, 'ab', [[1, 2]]]]);
  });

  it('of equal pieces stay small however many they are', () => {
    const rows = toRows(
      Array.from({ length: 20_000 }, (_, n) => ({ seq: n + 1, event: { type: 'text', text: 'word ' } })),
    );
    expect(encodeRows(rows).length).toBeLessThan(100_050);
    expect(restOf(rows[0]!, 19_999)).toEqual({ type: 'text', text: 'word ' });
  });
});

describe('segments', () => {
  it('hold all events in order, each at most so many bytes unless one event alone has more', () => {
    fc.assert(
      fc.property(log, fc.integer({ min: 30, max: 2_000 }), (events, limit) => {
        const segments = segmentsOf(events, limit);
        expect(segments.flat()).toEqual(events);
        for (const segment of segments) {
          expect(segment.length).toBeGreaterThan(0);
          if (segment.length > 1)
            expect(Buffer.byteLength(encodeRows(toRows(segment)))).toBeLessThanOrEqual(limit + 20);
        }
      }),
      { seed: 1 },
    );
  });
});
