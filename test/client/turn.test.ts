/** How a turn is followed through all that can become of a connection. */
import { describe, expect, it, vi } from 'vitest';
import { createClient } from '../../functions/client/client.ts';
import { retryAfter } from '../../functions/client/retry.ts';
import type { Line } from '../../functions/client/wire.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { clientOf, last, refusal, stream, TURN, word } from './answers.ts';

describe('following', () => {
  it('comes back at once after `bye`, and after a pause when it was cut', async () => {
    const { client, slept } = clientOf(
      stream(word(1), { type: 'bye', cursor: '1.1' }),
      stream(word(2)),
      stream(word(3), last(4)),
    );
    await client.follow(TURN).done;
    expect(slept).toEqual([250]);
  });

  it('makes a short pause when all it was told is `bye`, as often as it takes', async () => {
    const bye = stream({ type: 'bye', cursor: '1.0' });
    const { client, slept } = clientOf(...Array(20).fill(bye), stream(last(1)));
    await client.follow(TURN).done;
    expect(slept).toEqual(Array(20).fill(250));
  });

  it('goes on for as long as there is a sign of life, ever more slowly', async () => {
    const beat = () => new Response('\n', { headers: { 'content-type': 'application/x-ndjson' } });
    const { client, slept } = clientOf(...Array(100).fill(beat), stream(last(1)));
    await client.follow(TURN).done;
    expect(slept.slice(0, 7)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(slept).toHaveLength(100);
  });

  it('waits as long as the server asks, and a little longer', async () => {
    const { client, slept } = clientOf(
      refusal(429, 'too_many', { 'retry-after': '7' }),
      refusal(503, 'retry', { 'retry-after': '2' }),
      stream(last(1)),
    );
    await client.follow(TURN).done;
    expect(slept).toEqual([7_250, 2_500]);
    const asked = (text: string) => retryAfter(new Response('', { headers: { 'retry-after': text } }));
    expect(['3', '86400', 'soon', '-1'].map(asked)).toEqual([3_000, 300_000, 0, 0]);
  });

  it('looks for a turn of a room for 20 s', async () => {
    const { client, slept } = clientOf(refusal(404, 'not_found'));
    await expect(client.follow(TURN).done).rejects.toMatchObject({ status: 404 });
    const waited = slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(20_000);
    expect(waited).toBeLessThan(30_000);
  });

  it('asks for the state when there is nothing left to show', async () => {
    const state = { turn: TURN, status: 'cancelled', reason: 'stopped', message: null };
    const { client } = clientOf(
      () => new Response(null, { status: 204 }),
      () => Response.json(state),
    );
    expect(await client.follow(TURN, { after: '1.9' }).done).toEqual({
      status: 'cancelled',
      reason: 'stopped',
      message: null,
    });
  });

  it('goes behind a gap that is named, and back over one that is not', async () => {
    const gap: Line = { type: 'gap', after: '1.0', cursor: '1.8' };
    const { client, calls } = clientOf(stream(gap, word(9), word(11)), stream(word(10), word(11), last(12)));
    const turn = client.follow(TURN);
    const told: string[] = [];
    turn.onEvent((line) => told.push(line.type));
    await turn.done;
    expect(calls[1]!.url).toContain('after=1.9');
    expect(told).toEqual(['gap', 'text', 'text', 'text', 'turn_status']);
  });

  it('ends when it is called off, and its turn goes on', async () => {
    const off = new AbortController();
    const { client, calls } = clientOf(() => {
      off.abort(new Error('off'));
      return stream(word(1))();
    });
    await expect(client.follow(TURN, { signal: off.signal }).done).rejects.toThrow('off');
    expect(calls).toHaveLength(1);
  });

  it('asks again when the state can’t be had', async () => {
    const nothing = () => new Response(null, { status: 204 });
    const state = { turn: TURN, status: 'error', reason: 'time_limit', message: null };
    const { client } = clientOf(nothing, refusal(502, 'failed'), nothing, () => Response.json(state));
    expect(await client.follow(TURN, { after: '1.9' }).done).toMatchObject({ reason: 'time_limit' });
  });

  it('comes back to a connection that fell silent, and holds none behind the turn’s end', async () => {
    const clock = virtualClock();
    const ended: unknown[] = [];
    let made = 0;
    const client = createClient({
      url: 'https://x',
      token: 't',
      platform: {
        sleep: clock.sleep,
        now: clock.monotonic,
        random: () => 0.5,
        async fetch(_, init) {
          const lines = made++ === 0 ? [word(1)] : [word(2), last(3)];
          const body = new ReadableStream<Uint8Array>({
            start(controller) {
              for (const line of lines)
                controller.enqueue(new TextEncoder().encode(`${JSON.stringify(line)}\n`));
              const cut = () => controller.error(init!.signal!.reason);
              init!.signal!.addEventListener('abort', cut);
            },
            cancel: () => void ended.push('cancelled'),
          });
          return new Response(body, { headers: { 'content-type': 'application/x-ndjson' } });
        },
      },
    });
    const turn = client.follow(TURN);
    await clock.advance(29_999);
    expect([made, turn.text]).toEqual([1, 'x']);
    await clock.advance(1_000);
    expect(made).toBe(2);
    await turn.done;
    expect(ended).toEqual(['cancelled']);
    expect(clock.sleepers()).toBe(0);
  });

  it('does not wait for copies that others made of an answer', async () => {
    const copies: Response[] = [];
    const { client } = clientOf(() => {
      const answer = stream(word(1), last(2), word(3))();
      copies.push(answer.clone());
      return answer;
    });
    await client.follow(TURN).done;
    expect(await copies[0]!.text()).toContain('turn_status');
  });

  it('takes no page for a stream', async () => {
    const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const { client, calls } = clientOf(page);
    await expect(client.follow(TURN).done).rejects.toMatchObject({ status: 200, code: 'no_stream' });
    expect(calls).toHaveLength(1);
  });

  it('is not disturbed by who listens', async () => {
    const errors: unknown[] = [];
    const queue = globalThis.queueMicrotask;
    vi.stubGlobal('queueMicrotask', (then: () => void) =>
      queue(() => {
        try {
          then();
        } catch (error) {
          errors.push(error);
        }
      }),
    );
    const { client, calls } = clientOf(stream(word(1), last(2)));
    const turn = client.follow(TURN);
    const seen: string[] = [];
    turn.onEvent(() => {
      throw new Error('mine');
    });
    const off = turn.onEvent(({ type }) => {
      seen.push(type);
      off();
    });
    await turn.done;
    vi.unstubAllGlobals();
    expect([seen, calls.length]).toEqual([['text'], 1]);
    expect(errors).toEqual([new Error('mine'), new Error('mine')]);
  });

  it('gives up when there is no answer for about five minutes', async () => {
    const { client, slept } = clientOf(() => Promise.reject(new TypeError('no network')));
    await expect(client.follow(TURN).done).rejects.toMatchObject({ status: 0, code: 'unreachable' });
    const waited = slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(270_000);
    expect(waited).toBeLessThan(330_000);
  });
});
