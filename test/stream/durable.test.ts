/**
 * The read cases of the conformance suite of Durable Streams, rebuilt for this protocol: an offset is a cursor, an append
 * is an event. (The suite itself creates and appends over HTTP, which a turn's log does not let a client do.) Its
 * sections: read operations, offset validation and resumability, read-your-writes, SSE mode, immutability.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDecoder } from '../../functions/client/decode.ts';
import type { Line, LogLine } from '../../functions/client/wire.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { httpTurnId } from '../../functions/turns/ids.ts';
import { createPump, type Pump } from '../../functions/turns/pump.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { begin } from '../../functions/turns/takeover.ts';
import { ANA } from '../work/people.ts';
import { type Asked, deskOf } from './desk.ts';

/** A turn that a test appends to, and reads over HTTP. */
async function stream() {
  const desk = deskOf();
  const { shop } = desk;
  const { table, clock, random } = desk.deps.work;
  const turn = httpTurnId('hs', ANA, 'c', 'k');
  const now = clock.now();
  const meta = {
    tenant: 'hs',
    principal: ANA,
    conversation: 'c',
    order: `${now}000`,
    source: { kind: 'http' },
    input: 'x',
    created: now,
    expires: now / 1_000 + 1e6,
  } as const;
  await createQueued(table, turn, meta);
  const head = await begin({ table, clock, random }, turn, shop.head(turn));
  if (head === 'refused') throw new Error('not begun');
  const pump: Pump = createPump({ table, clock, random, turn, head, queued: true });
  const append = async (...events: TurnEvent[]) => {
    for (const event of events) pump.emit(event);
    await shop.finish(pump.flush(), 1);
  };
  return {
    desk,
    turn,
    append,
    say: (...texts: string[]) => append(...texts.map((text): TurnEvent => ({ type: 'text', part: 1, text }))),
    close: async () => {
      const message = { id: 'm', role: 'assistant', content: '', createdAt: '' } as const;
      await shop.finish(pump.close('complete', message), 1);
      await shop.finish(pump.stop(), 1);
    },
    stop: () => shop.finish(pump.stop(), 1),
    /** What there is behind the cursor, as a follower that leaves again gets it. */
    async read(after = '0', format: 'ndjson' | 'sse' = 'ndjson', asked: Asked = {}) {
      const got = await desk.call('GET', `/turns/${turn}/events?after=${after}&format=${format}`, {
        ...asked,
        remainingMs: 23_000,
      });
      await shop.finish(got.over, 5);
      return createDecoder(format)(Buffer.from(got.text()));
    },
  };
}

const textOf = (lines: readonly Line[]) =>
  lines.flatMap((line) => (line.type === 'text' ? [line.text] : [])).join('');
const logOf = (lines: readonly Line[]) => lines.filter((line): line is LogLine => 'from' in line);

describe('read operations', () => {
  it('an empty stream is read, and is up to date', async () => {
    const { read, stop } = await stream();
    expect(await read()).toEqual([{ type: 'caught-up' }, { type: 'bye', cursor: '1.0' }]);
    await stop();
  });

  it('a stream is read from its beginning, and from an offset', async () => {
    const { read, say, stop } = await stream();
    await say('one', 'two', 'three');
    expect(textOf(await read())).toBe('onetwothree');
    expect(textOf(await read('1.1'))).toBe('twothree');
    expect(textOf(await read('1.2'))).toBe('three');
    await stop();
  });

  it('a reader at the tail is up to date, and one of a closed stream is told that there is nothing', async () => {
    const { desk, turn, read, say, close } = await stream();
    await say('one');
    expect(logOf(await read('1.1'))).toEqual([]);
    await close();
    const { tail } = desk.shop.head(turn);
    expect((await desk.call('GET', `/turns/${turn}/events?after=1.${tail}`)).status).toBe(204);
  });

  it('a reader that waits gets what is appended, and the close with the last of it', async () => {
    const { desk, turn, say, close } = await stream();
    const waiting = await desk.call('GET', `/turns/${turn}/events`);
    await desk.shop.clock.advance(200);
    await say('late');
    await close();
    await desk.shop.finish(waiting.over, 5);
    expect(waiting.lines().map(({ type }) => type)).toEqual(['caught-up', 'text', 'done', 'turn_status']);
  });
});

describe('offsets', () => {
  it.each(['1,2', '1 2', '', 'now', '-1', '1.1.1', '9'.repeat(12)])('%j is none', async (after) => {
    const { desk, turn, stop } = await stream();
    expect((await desk.call('GET', `/turns/${turn}/events?${new URLSearchParams({ after })}`)).status).toBe(
      400,
    );
    await stop();
  });

  it('of a stream that is not there are 404', async () => {
    const { desk, stop } = await stream();
    expect((await desk.call('GET', '/turns/Zm9vYmFyYmF6cXV4MTIzNA/events?after=1.1')).status).toBe(404);
    await stop();
  });

  it('are unique and only grow, and reading on from each doubles and loses nothing', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), { minLength: 1, maxLength: 5 }),
        async (batches) => {
          const { read, say, stop } = await stream();
          for (const batch of batches) await say(...batch);
          const whole = batches.flat().join('');
          const lines = logOf(await read());
          const seqs = lines.map(({ cursor }) => Number(cursor.split('.')[1]));
          expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
          for (const [index, { cursor }] of lines.entries())
            expect(textOf(lines.slice(0, index + 1)) + textOf(await read(cursor))).toBe(whole);
          await stop();
        },
      ),
      { seed: 7, numRuns: 25 },
    );
  });

  it('name the same data for ever, whatever is appended', async () => {
    const { read, say, stop } = await stream();
    await say('one', 'two');
    const before = textOf(await read('1.1'));
    await say('three'.repeat(300));
    expect(textOf(await read('1.1')).startsWith(before)).toBe(true);
    await stop();
  });
});

describe('read your writes', () => {
  it('what is acknowledged is read at once, by several readers alike', async () => {
    const { read, say, stop } = await stream();
    for (let n = 1; n <= 20; n++) {
      await say(`${n} `);
      const seen = [await read(), await read('0', 'sse')].map(textOf);
      expect(seen[1]).toBe(seen[0]);
      expect(seen[0]).toBe(Array.from({ length: n }, (_, m) => `${m + 1} `).join(''));
    }
    await stop();
  });
});

describe('server-sent events', () => {
  it.each([
    'a\nb',
    'a\r\nb',
    'a\rb',
    'safe\r\n\r\nevent: control\r\ndata: {"injected":true}\r\n\r\n',
    'x\n\nid: 9.9\ndata: {"type":"turn_status"}\n\n',
    '\u2028\u2029\u0085\0',
    '{"json":\n[1]}',
  ])('carry %j as data and as nothing else', async (text) => {
    const { read, say, stop } = await stream();
    await say(text);
    const lines = logOf(await read('0', 'sse'));
    expect(lines.map(({ type }) => type)).toEqual(['text']);
    expect(textOf(lines)).toBe(text);
    await stop();
  });

  it('go on behind the id of the last event', async () => {
    const { desk, turn, say, stop } = await stream();
    await say('one', 'two', 'three');
    const got = await desk.call('GET', `/turns/${turn}/events`, {
      headers: { 'last-event-id': '1.2', accept: 'text/event-stream' },
      remainingMs: 23_000,
    });
    await desk.shop.finish(got.over, 5);
    expect(textOf(createDecoder('sse')(Buffer.from(got.text())))).toBe('three');
    await stop();
  });
});
