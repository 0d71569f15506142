/**
 * The stream function behind a network that cuts, repeats, truncates and refuses by chance. The log grows while it is
 * read; lines are written by the server's own code. Nothing waits for real.
 */
import type { Platform } from '../../functions/client/platform.ts';
import { parseCursor } from '../../functions/turns/cursor.ts';
import type { Format } from '../../functions/turns/format.ts';
import { startOf } from '../../functions/turns/head.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { stretches } from '../../functions/turns/log.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { sse } from '../../functions/turns/sse.ts';
import type { Chance } from '../model/chance.ts';
import type { Log } from './log.ts';

export const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';

const json = (status: number, body: object) => Response.json(body, { status });

export function badNetwork(log: Log, chance: Chance): Platform {
  let tail = 1;
  let keys = 0;
  const grow = (by: number) => {
    tail = Math.min(log.events.length, tail + by);
  };
  const isOver = () => tail === log.events.length;

  /** What a follower at the cursor is sent until its connection ends; the log grows meanwhile. */
  function linesFor(after: string): Line[] {
    const lines: Line[] = [];
    const { attempt, seq } = parseCursor(after)!;
    let [seen, attemptSeen] = [seq, attempt];
    for (let rounds = chance.below(6); rounds >= 0; rounds--) {
      const head = log.headAt(tail);
      const place = attemptSeen < head.attempt ? Math.min(seen, startOf(head, attemptSeen + 1)! - 1) : seen;
      for (const { event, from, seq, attempt } of stretches(head, [], place).lines) {
        lines.push({ ...event, from, cursor: `${attempt}.${seq}` } as Line);
        [seen, attemptSeen] = [seq, attempt];
      }
      if (chance.hit(0.1)) lines.push({ type: 'caught-up' });
      grow(1 + chance.below(10));
    }
    if (lines.at(-1)?.type !== 'turn_status' && chance.hit(0.5))
      lines.push({ type: 'bye', cursor: `${attemptSeen}.${seen}` });
    return lines;
  }

  /** A start's own lines: of an attempt that broke off, also those that it never stored. */
  function liveLines(): Line[] | undefined {
    const end = log.headAt(log.events.length).bounds[0];
    if (!end || tail >= end.start || chance.hit(0.3)) return undefined;
    const lines = log.events
      .slice(0, end.start - 1)
      .map(({ seq, event }) => ({ ...event, from: seq, cursor: `1.${seq}` }));
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
    let bytes: Uint8Array = Buffer.from(texts.join(''));
    const breaksOff = chance.hit(0.4);
    if (breaksOff) bytes = bytes.subarray(0, chance.below(bytes.length + 1));
    return new ReadableStream({
      pull(controller) {
        if (bytes.length === 0) {
          if (breaksOff && chance.hit(0.5)) controller.error(new TypeError('cut'));
          else controller.close();
          return;
        }
        const size = 1 + chance.below(200);
        controller.enqueue(bytes.subarray(0, size));
        bytes = bytes.subarray(size);
      },
    });
  }

  function answer(url: URL, init: RequestInit): Response {
    const format = new Headers(init.headers).get('accept') === 'text/event-stream' ? sse : ndjson;
    const headers = { ...format.headers, 'x-turnpike-turn': TURN };
    if (init.method === 'POST')
      return new Response(body(liveLines() ?? linesFor('1.0'), format), { headers });
    if (url.pathname === '/turns') return json(200, { turns: isOver() ? [] : [{ turn: TURN }] });
    if (!url.pathname.endsWith('/events'))
      return json(200, {
        turn: TURN,
        status: isOver() ? 'complete' : 'running',
        message: isOver() ? { content: log.text } : null,
      });
    const after = url.searchParams.get('after')!;
    const all = log.headAt(log.events.length);
    if (isOver() && after === `${all.attempt}.${all.tail}`) return new Response(null, { status: 204 });
    return new Response(body(linesFor(after), format), { headers });
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
