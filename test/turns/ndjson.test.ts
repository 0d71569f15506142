/** NDJSON: every line as it is, one a line, for whatever a reader takes as the end of one. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Line } from '../../functions/turns/lines.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { anyLog } from './formats/any-log.ts';
import { BREAKS } from './formats/breaks.ts';

const controls: Line[] = [
  { type: 'queued' },
  { type: 'caught-up' },
  { type: 'gap', after: '1.1', cursor: '2.9' },
  { type: 'bye', cursor: '2.9' },
];

describe('NDJSON', () => {
  it('is the lines of any turn, and heartbeats are empty lines', () => {
    const turns = fc.property(anyLog, ({ live }) => {
      const lines = [...live, ...controls];
      const encoder = ndjson.open('turn');
      const text = lines.map((line) => encoder.line(line) + encoder.heartbeat).join('');
      const read = text.split(BREAKS).filter((one) => one !== '');
      expect(read.map((one) => JSON.parse(one) as Line)).toEqual(lines);
    });
    fc.assert(turns, { seed: 4, numRuns: 200 });
  });

  it('adds nothing of its own', () => {
    const encoder = ndjson.open('turn');
    expect([encoder.head, encoder.end('ended'), encoder.end('left')]).toEqual(['', '', '']);
    expect(encoder.line({ type: 'text', text: 'a\u2028b\r\n', from: 1, cursor: '1.1', _t: 5 })).toBe(
      '{"type":"text","text":"a\\u2028b\\r\\n","from":1,"cursor":"1.1","_t":5}\n',
    );
  });
});
