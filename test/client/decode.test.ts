/** Bytes to lines: the same lines however the bytes are cut, at every place there is. */
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../functions/client/decode.ts';
import type { Format, Line } from '../../functions/client/wire.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { sse } from '../../functions/turns/sse.ts';

const text = (words: string, seq = 1): Line => ({
  type: 'text',
  part: 1,
  text: words,
  from: seq,
  cursor: `1.${seq}`,
});
const token = (words: string) => JSON.stringify({ ...text(words), type: 'token' });
const json = (words: string) => JSON.stringify(text(words));

const ODD = [
  'plain',
  'ünïcödé 日本語 👩‍👩‍👧‍👦 \u{1F600}',
  'CR\rLF\nCRLF\r\nNUL\0 tab\t',
  'line\u2028separator\u2029and\u0085next',
  'half \ud83d of a pair \ude00',
  'data: not a field\n\nid: 1.9\nevent: x',
  '"quotes" \\ and {"json":[1]}',
  '\ufeffa mark inside',
  '',
];

const corpus: [name: string, format: Format, bytes: string, lines: Line[]][] = [
  ...ODD.map((words): (typeof corpus)[number] => [
    `ndjson ${JSON.stringify(words)}`,
    'ndjson',
    `${json(words)}\n`,
    [text(words)],
  ]),
  ...ODD.map((words): (typeof corpus)[number] => [
    `sse ${JSON.stringify(words)}`,
    'sse',
    `id: 1.1\ndata: ${token(words)}\n\n`,
    [text(words)],
  ]),
  ['ndjson by CRLF', 'ndjson', `${json('a')}\r\n${json('b')}\r\n`, [text('a'), text('b')]],
  ['ndjson by CR', 'ndjson', `${json('a')}\r${json('b')}\r`, [text('a'), text('b')]],
  ['ndjson with heartbeats', 'ndjson', `\n\n${json('a')}\n\n\r\n \n${json('b')}\n\n`, [text('a'), text('b')]],
  ['ndjson behind a mark', 'ndjson', `\ufeff${json('a')}\n`, [text('a')]],
  ['ndjson that breaks off', 'ndjson', `${json('a')}\n${json('b').slice(0, -1)}`, [text('a')]],
  ['ndjson whose last line has no end', 'ndjson', `${json('a')}\n${json('b')}`, [text('a')]],
  [
    'sse by CRLF',
    'sse',
    `id: 1.1\r\ndata: ${token('a')}\r\n\r\ndata: ${token('b')}\r\n\r\n`,
    [text('a'), text('b')],
  ],
  ['sse by CR', 'sse', `data: ${token('a')}\r\rdata: ${token('b')}\r\r`, [text('a'), text('b')]],
  ['sse by all three', 'sse', `data: ${token('a')}\r\n\ndata: ${token('b')}\n\r\n`, [text('a'), text('b')]],
  ['sse behind a mark', 'sse', `\ufeffdata: ${token('a')}\n\n`, [text('a')]],
  ['sse with comments', 'sse', `:\n\n: hello\ndata: ${token('a')}\n:\n\n:\n\n`, [text('a')]],
  ['sse with retry and event', 'sse', `retry: 1000\n\nevent: token\ndata: ${token('a')}\n\n`, [text('a')]],
  [
    'sse of several data fields',
    'sse',
    `data: {"type":"token",\ndata:"part":1,"text":"a",\ndata: "from":1,"cursor":"1.1"}\n\n`,
    [text('a')],
  ],
  [
    'sse of several data fields by CRLF',
    'sse',
    `data: {"type":"token","part":1,\r\ndata: "text":"a","from":1,"cursor":"1.1"}\r\n\r\n`,
    [text('a')],
  ],
  ['sse without a space', 'sse', `data:${token('a')}\n\n`, [text('a')]],
  ['sse of a field without a value', 'sse', `data\nid\ndata: ${token('a')}\n\n`, [text('a')]],
  ['sse that breaks off', 'sse', `data: ${token('a')}\n\ndata: ${token('b')}\n`, [text('a')]],
];

const decoded = (format: Format, ...chunks: Uint8Array[]) => {
  const decode = createDecoder(format);
  return chunks.flatMap((chunk) => decode(chunk));
};

describe('a stream', () => {
  it.each(corpus)('%s', (_, format, written, lines) => {
    const bytes = Buffer.from(written);
    expect(decoded(format, bytes)).toEqual(lines);
    for (let at = 0; at <= bytes.length; at++)
      expect(decoded(format, bytes.subarray(0, at), bytes.subarray(at)), `cut at ${at}`).toEqual(lines);
    expect(decoded(format, ...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(lines);
  });

  it.each([
    ['ndjson', ndjson],
    ['sse', sse],
  ] as const)('as the server writes %s, cut anywhere', (name, format) => {
    const encoder = format.open('turn');
    const lines: Line[] = [
      ...ODD.map((words, n) => text(words, n + 1)),
      { type: 'tool-call', id: 'a', name: 'b', arguments: { c: [null] }, from: 10, cursor: '1.10' },
      { type: 'tool-result', id: 'a', name: 'b', result: '\n', failed: 'no', from: 11, cursor: '1.11' },
      { type: 'rewind', to: 3, from: 12, cursor: '2.12' },
      {
        type: 'waiting',
        question: 'q',
        choices: ['yes', 'no'],
        who: '@a:b',
        until: 7,
        from: 13,
        cursor: '2.13',
      },
      { type: 'x-own', field: { deep: true }, from: 14, cursor: '2.14' },
      { type: 'turn_status', status: 'cancelled', reason: 'stopped', from: 15, cursor: '2.15' },
      { type: 'queued' },
      { type: 'caught-up' },
      { type: 'gap', after: '1.1', cursor: '1.9' },
      { type: 'bye', cursor: '2.15' },
    ];
    const bytes = Buffer.from(
      encoder.head +
        lines.map((line) => encoder.line(line) + encoder.heartbeat).join('') +
        encoder.end('ended'),
    );
    expect(decoded(name, bytes)).toEqual(lines);
    for (let at = 0; at <= bytes.length; at++)
      expect(decoded(name, bytes.subarray(0, at), bytes.subarray(at))).toEqual(lines);
  });

  it('that is no JSON is an error', () => {
    expect(() => decoded('ndjson', Buffer.from('<html>\n'))).toThrow(SyntaxError);
    expect(() => decoded('sse', Buffer.from('data: <html>\n\n'))).toThrow(SyntaxError);
  });
});
