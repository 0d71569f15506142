import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesOf, MAX_LINE_BYTES } from '../../../functions/adapters/agent-function/lines.ts';
import { allOf, readOut } from './read.ts';

async function* stream(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const read = (...chunks: readonly Uint8Array[]) => allOf(linesOf(stream(...chunks)));

describe('lines', () => {
  const TEXT = '{"a":"ä"}\n\n{"b":"👩‍🚀\u2028"}\r\n{"c":1}';
  const LINES = ['{"a":"ä"}', '', '{"b":"👩‍🚀\u2028"}\r', '{"c":1}'];

  it('are the same wherever the stream is cut', async () => {
    const bytes = Buffer.from(TEXT);
    for (let at = 0; at <= bytes.length; at++)
      expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toEqual(LINES);
    expect(await read(...Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(LINES);
  });

  it('are whatever was put in, in any chunks', async () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat(40)), async (lines, sizes) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        expect(await read(...chunks, bytes.subarray(from))).toEqual(lines);
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it('count without a last newline only when the stream has ended well', async () => {
    async function* broken() {
      yield Buffer.from('{"a":1}\n{"b":2}');
      throw Object.assign(new Error('cut'), { code: 'cut' });
    }
    expect(await readOut(linesOf(broken()))).toEqual({ events: ['{"a":1}'], code: 'cut' });
    expect(await read(Buffer.from('{"a":1}\n{"b":2}'))).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('have at most 1 MB, whether or not they ever end', async () => {
    const longest = Buffer.alloc(MAX_LINE_BYTES, 'x');
    expect(await read(Buffer.from('a\n'), longest, Buffer.from('\nb\n'))).toEqual(['a', `${longest}`, 'b']);
    const tooLong = stream(Buffer.from('a\n'), longest, Buffer.from('x'), Buffer.from('\n'));
    expect(await readOut(linesOf(tooLong))).toEqual({ events: ['a'], code: 'agent_bad_line' });
    let pulled = 0;
    async function* endless() {
      for (; ; pulled++) yield Buffer.alloc(10_000, 'x');
    }
    expect(await readOut(linesOf(endless()))).toEqual({ events: [], code: 'agent_bad_line' });
    expect(pulled).toBe(100);
  });

  it('are UTF-8', async () => {
    const odd = stream(Buffer.from('a\n'), Uint8Array.of(0xff, 0x0a));
    expect(await readOut(linesOf(odd))).toEqual({ events: ['a'], code: 'agent_bad_line' });
    expect(await readOut(linesOf(stream(Uint8Array.of(0xe2, 0x82))))).toEqual({
      events: [],
      code: 'agent_bad_line',
    });
  });
});
