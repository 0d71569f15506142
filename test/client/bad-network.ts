/**
 * The stream function behind a network that cuts, repeats, truncates, delays and refuses by chance. The log grows while
 * it is followed; lines are found and written by the server's own code. Nothing waits for real.
 */
import type { Platform } from '../../functions/client/platform.ts';
import type { Clock } from '../../functions/runtime/clock.ts';
import type { Table } from '../../functions/runtime/table.ts';
import { parseCursor } from '../../functions/turns/cursor.ts';
import { type Attached, attach } from '../../functions/turns/follow.ts';
import type { Format } from '../../functions/turns/format.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { sse } from '../../functions/turns/sse.ts';
import type { Chance } from '../model/chance.ts';
import type { Log } from './log.ts';

export const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';

const json = (status: number, body: object) => Response.json(body, { status });

export function badNetwork(log: Log, chance: Chance): Platform {
  let tail = 1;
  let time = 0;
  let keys = 0;
  const isOver = () => tail === log.events.length;
  const table = {
    get: async () => log.rowAt(tail),
    update: async () => 'refused',
    query: async () => [],
  } as Partial<Table> as Table;
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    // Whoever waits finds more behind it.
    async sleep(ms) {
      time += ms;
      tail = Math.min(log.events.length, tail + chance.below(10));
    },
  };

  function attached(after: string): Promise<Attached> {
    const random = { unit: chance.unit, id: () => '' };
    const deps = { table, clock, random, nudge: async () => undefined };
    return attach(deps, TURN, { after: parseCursor(after)!, until: time + chance.below(400) });
  }

  /** A start's own lines: of an attempt that broke off, also those that it never stored. */
  function liveLines(): Line[] | undefined {
    const end = log.bounds[0];
    if (!end || tail >= end.start || chance.hit(0.3)) return undefined;
    const lines = log.events
      .slice(0, end.start - 1)
      .map(({ seq, event }): Line => ({ ...event, from: seq, cursor: `1.${seq}` }));
    tail = end.start - 1;
    for (let seq = end.start; seq < end.start + chance.below(5); seq++)
      lines.push({ type: 'text', part: 1, text: ' never stored', from: seq, cursor: `1.${seq}` });
    return lines;
  }

  function body(lines: readonly Line[], format: Format): ReadableStream<Uint8Array> {
    const encoder = format.open(TURN);
    const texts = [encoder.head];
    for (const line of lines) {
      // A live line may be withheld; nothing behind it covers it.
      if (line.type === 'text' && chance.hit(0.03)) continue;
      texts.push(encoder.line(line));
      if (chance.hit(0.1)) texts.push(encoder.heartbeat);
      // A proxy that repeats what it sent.
      if (chance.hit(0.05)) texts.push(...texts.slice(-chance.below(4) - 1));
    }
    let bytes = Buffer.from(texts.join(''));
    const breaks = chance.hit(0.5);
    if (breaks) bytes = bytes.subarray(0, chance.below(bytes.length + 1));
    return new ReadableStream({
      async pull(controller) {
        // Somebody else's turn first, now and then.
        if (chance.hit(0.1)) await Promise.resolve();
        if (bytes.length === 0) {
          if (breaks && chance.hit(0.5)) controller.error(new TypeError('cut'));
          else controller.close();
          return;
        }
        const size = 1 + chance.below(200);
        controller.enqueue(bytes.subarray(0, size));
        bytes = bytes.subarray(size);
      },
    });
  }

  async function answer(url: URL, init: RequestInit): Promise<Response> {
    const format = new Headers(init.headers).get('accept') === 'text/event-stream' ? sse : ndjson;
    const headers = { ...format.headers, 'x-turnpike-turn': TURN };
    if (url.pathname === '/turns' && init.method === 'GET')
      return json(200, { turns: isOver() ? [] : [{ turn: TURN }] });
    const live = init.method === 'POST' ? liveLines() : undefined;
    if (live) return new Response(body(live, format), { headers });
    const following = await attached(url.searchParams.get('after') ?? '0');
    if (following.kind !== 'following') throw new Error(`not to be had: ${following.kind}`);
    const lines: Line[] = [];
    for await (const line of following.lines) lines.push(line);
    return new Response(body(lines, format), { headers });
  }

  return {
    fetch: async (input, init = {}) => {
      if (chance.hit(0.1)) throw new TypeError('no network');
      if (chance.hit(0.05)) return json(502, {});
      if (chance.hit(0.03)) return json(503, { error: { code: 'retry' } });
      if (chance.hit(0.03)) return new Response('{}', { status: 429, headers: { 'retry-after': '1' } });
      return answer(new URL(String(input)), init);
    },
    // Only a watch over a silent connection is as long as that, and it is called off.
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms < 20_000) return resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
    random: chance.unit,
    now: () => 0,
    key: () => `key${keys++}`,
  };
}
