/** Server-sent events: what is shown under which name, what is left out, and that nothing withheld is ever covered. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apply } from '../../functions/client/apply.ts';
import { createDecoder } from '../../functions/client/decode.ts';
import { BEGINNING } from '../../functions/turns/cursor.ts';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import type { Line, LogLine } from '../../functions/turns/lines.ts';
import { canonical, textOf } from '../../functions/turns/log.ts';
import { sse } from '../../functions/turns/sse.ts';
import { anyLog } from './formats/any-log.ts';
import { BREAKS } from './formats/breaks.ts';

const lineOf = (event: TurnEvent, from = 1, to = from): LogLine => ({ ...event, from, cursor: `1.${to}` });
const dataOf = (text: string): Record<string, unknown> => JSON.parse(/^data: (.*)$/m.exec(text)![1]!);

describe('server-sent events', () => {
  it('have the cursor as their id, one field of data, and no name', () => {
    const encoder = sse.open('turn');
    expect(encoder.head).toBe('retry: 1000\n\n');
    expect(encoder.line(lineOf({ type: 'text', part: 1, text: 'Hi' }, 1, 3))).toBe(
      'id: 1.3\ndata: {"type":"token","part":1,"text":"Hi","from":1,"cursor":"1.3"}\n\n',
    );
    expect(encoder.heartbeat).toBe(':\n\n');
    expect(encoder.end('ended') + encoder.end('left')).toBe('');
  });

  it.each<[TurnEvent, object]>([
    [
      { type: 'text', text: 'a' },
      { type: 'token', text: 'a' },
    ],
    [
      { type: 'reasoning', text: 'a' },
      { type: 'reasoning', text: 'a' },
    ],
    [
      { type: 'tool-call', id: 'c', name: 'n', arguments: {} },
      { type: 'tool', state: 'call', id: 'c', name: 'n', arguments: {} },
    ],
    [
      { type: 'tool-result', id: 'c', name: 'n', result: 1, failed: 'timeout' },
      { type: 'tool', state: 'result', id: 'c', name: 'n', result: 1, failed: 'timeout' },
    ],
    [
      { type: 'emotion', name: 'joy' },
      { type: 'emotion', name: 'joy' },
    ],
    [
      { type: 'control', command: 'wave' },
      { type: 'control', command: 'wave' },
    ],
    [
      { type: 'rewind', to: 1 },
      { type: 'rewind', to: 1 },
    ],
    [
      { type: 'x-own', state: 1 },
      { type: 'x-own', state: 1 },
    ],
    [
      { type: 'error', code: 'time_limit', message: 'Too long.' },
      { type: 'error', code: 'time_limit', error: { code: 'time_limit', message: 'Too long.' } },
    ],
    [
      { type: 'turn_status', status: 'complete' },
      { type: 'turn_status', status: 'complete' },
    ],
  ])('show %j', (event, shown) => {
    expect(dataOf(sse.open('turn').line(lineOf(event)))).toMatchObject(shown);
  });

  it('leave out the rest, and cover it with the next line', () => {
    const encoder = sse.open('turn');
    expect(encoder.line(lineOf({ type: 'start', messages: ['turn'] }))).toBe('');
    expect(encoder.line(lineOf({ type: 'step-start' }, 2))).toBe('');
    expect(dataOf(encoder.line(lineOf({ type: 'text', text: 'a' }, 3, 5)))).toMatchObject({ from: 1 });
    expect(encoder.line(lineOf({ type: 'source', url: 'u' }, 6))).toBe('');
    // 7 was withheld.
    expect(dataOf(encoder.line(lineOf({ type: 'text', text: 'b' }, 8)))).toMatchObject({ from: 8 });
  });

  it('say of the stream what has no id, but for the gap that moves the client', () => {
    const encoder = sse.open('turn');
    expect(encoder.line({ type: 'queued' })).toBe('data: {"type":"queued"}\n\n');
    expect(encoder.line({ type: 'caught-up' })).toBe('data: {"type":"caught-up"}\n\n');
    expect(encoder.line({ type: 'bye', cursor: '1.2' })).toBe('data: {"type":"bye","cursor":"1.2"}\n\n');
    expect(encoder.line({ type: 'gap', after: '1.2', cursor: '2.7' })).toBe(
      'id: 2.7\ndata: {"type":"gap","after":"1.2","cursor":"2.7"}\n\n',
    );
  });

  it('are never broken by what they say, for whatever a reader takes as the end of a line', () => {
    const turns = fc.property(anyLog, ({ live }) => {
      const encoder = sse.open('turn');
      for (const text of live.map(encoder.line))
        if (text !== '')
          expect(text.split(BREAKS).map((field) => field.replace(/: .*/s, ''))).toEqual(FIELDS);
    });
    fc.assert(turns, { seed: 4, numRuns: 200 });
  });

  it('show their client a gap where something is missing, and only there', () => {
    const turns = fc.property(anyLog, fc.array(fc.nat(30), { maxLength: 2 }), (log, withheld) => {
      // A rewind is stored before anybody sees it.
      const given = log.live.filter(({ type }, at) => type === 'rewind' || !withheld.includes(at));
      const shown = createDecoder('sse')(Buffer.from(given.map(sse.open('turn').line).join('')));
      const seen = seenOf(shown);
      if (seen.whole) expect(seen.text).toBe(textOf(log.canonical));
      else expect(seenOf(given).whole).toBe(false);
    });
    fc.assert(turns, { seed: 4, numRuns: 1_000 });
  });
});

const FIELDS = ['id', 'data', '', ''];

/** What a client makes of lines; not whole if it would reconnect. */
function seenOf(lines: readonly Line[]): { whole: boolean; text: string } {
  const events: Numbered[] = [];
  let place = BEGINNING;
  for (const line of lines) {
    const applied = apply(place, line);
    if (applied.kind === 'gap') return { whole: false, text: '' };
    if (applied.kind !== 'applied') continue;
    place = applied.place;
    events.push({ seq: place.seq, event: applied.line });
  }
  // Without its end the client comes back for the rest.
  const isOver = events.at(-1)?.event.type === 'turn_status';
  return { whole: isOver, text: textOf(canonical(events)) };
}
