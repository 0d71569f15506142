/** PROTOCOL.md 3.3, line by line; and whatever comes in whatever order, a client that keeps to it shows the log. */
import { describe, expect, it } from 'vitest';
import { apply, createText, placeOf } from '../../functions/client/apply.ts';
import type { ControlLine, Line, LogLine } from '../../functions/client/wire.ts';
import { BEGINNING, type Cursor, cursorText } from '../../functions/turns/cursor.ts';
import { chance } from '../model/chance.ts';
import { logBy } from './log.ts';

const line = (from: number, cursor: string, more: object = { type: 'text', text: 'x' }): LogLine =>
  ({ ...more, from, cursor }) as LogLine;

describe('a line', () => {
  it.each<[stands: string, from: number, cursor: string, kind: string, now?: string]>([
    ['1.0', 1, '1.1', 'applied', '1.1'],
    ['1.3', 4, '1.9', 'applied', '1.9'],
    ['1.3', 2, '1.4', 'applied', '1.4'],
    ['1.3', 3, '1.3', 'double'],
    ['1.3', 1, '1.2', 'double'],
    ['1.3', 5, '1.5', 'gap'],
    // A later attempt, whose beginning lies behind or before what the client has seen of the lost one.
    ['1.7', 6, '2.6', 'applied', '2.6'],
    ['1.7', 8, '2.8', 'applied', '2.8'],
    ['1.7', 9, '2.9', 'gap'],
    ['1.7', 6, '3.6', 'applied', '3.6'],
    ['2.6', 7, '1.7', 'double'],
    ['2.6', 9, '1.9', 'double'],
  ])('a client at %s, from %i to %s: %s', (stands, from, cursor, kind, now) => {
    const applied = apply(placeOf(stands), line(from, cursor));
    expect(applied.kind).toBe(kind);
    if (now !== undefined) expect(applied).toMatchObject({ place: placeOf(now) });
  });

  it.each<[ControlLine, stands: string]>([
    [{ type: 'bye', cursor: '1.9' }, '1.3'],
    [{ type: 'queued' }, '1.3'],
    [{ type: 'caught-up' }, '1.3'],
    [{ type: 'gap', after: '1.3', cursor: '1.9' }, '1.9'],
    [{ type: 'gap', after: '1.3', cursor: '2.2' }, '2.2'],
    // Repeated on its way, it must not bring back what was shown since.
    [{ type: 'gap', after: '1.0', cursor: '1.2' }, '1.3'],
  ])('without `from`: %o leaves a client of 1.3 at %s', (control, stands) => {
    expect(apply(placeOf('1.3'), control)).toEqual({ kind: 'control', place: placeOf(stands) });
  });
});

describe('a cursor', () => {
  it('is read with and without its attempt', () => {
    expect(['2.7', '7', '0'].map((text) => cursorText(placeOf(text)))).toEqual(['2.7', '1.7', '1.0']);
  });
  it.each(['', 'x', '1.', '.1', '1.2.3', '-1', '1e3'])('is not %j', (text) => {
    expect(() => placeOf(text)).toThrow(TypeError);
  });
});

describe('the words', () => {
  const shown = (...lines: object[]) => {
    const words = createText();
    for (const [index, one] of lines.entries()) words.add(line(index + 1, `1.${index + 1}`, one), index + 1);
    return words.text();
  };
  const said = (text: string, part?: unknown) => ({ type: 'text', text, part });

  it('of one part are joined as they are, parts by a blank line', () => {
    expect(shown(said('a', 1), said('b', 1), { type: 'reasoning', text: 'no', part: 1 }, said('c', 2))).toBe(
      'ab\n\nc',
    );
  });

  it('behind a rewind are gone, and the next begin as if they had never been', () => {
    const to = (seq: number) => ({ type: 'rewind', to: seq });
    expect(shown(said('a', 1), said('b', 2), to(1), said('c', 1))).toBe('ac');
    expect(shown(said('a', 1), said('b', 2), to(0), said('c', 3))).toBe('c');
  });
});

it('ends with the log’s words, whatever comes twice, late, never, or cut elsewhere', () => {
  for (let seed = 1; seed <= 300; seed++) {
    const by = chance(seed);
    const log = logBy(by);
    const attemptOf = (seq: number) => 1 + log.bounds.filter(({ start }) => start <= seq).length;
    const words = createText();
    let place: Cursor = BEGINNING;
    const take = (next: Line) => {
      const applied = apply(place, next);
      if (applied.kind !== 'applied') return;
      place = applied.place;
      words.add(applied.line, place.seq);
    };
    // Lines of single events by chance, all of them again and again, until nothing is missing.
    for (let rounds = 0; place.seq < log.events.length && rounds < 10_000; rounds++) {
      const seq = Math.min(log.events.length, Math.max(1, place.seq + by.below(5) - 1));
      take(line(seq, `${attemptOf(seq)}.${seq}`, log.events[seq - 1]!.event));
    }
    expect(words.text(), `seed ${seed}`).toBe(log.text);
  }
});

it('an empty text begins no paragraph', () => {
  const words = createText();
  words.add({ type: 'text', part: 1, text: '', from: 1, cursor: '1.1' }, 1);
  words.add({ type: 'text', part: 2, text: 'a', from: 2, cursor: '1.2' }, 2);
  words.add({ type: 'text', part: 3, text: 'b', from: 3, cursor: '1.3' }, 3);
  expect(words.text()).toBe('a\n\nb');
});
