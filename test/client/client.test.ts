/** The client's ways with a server that answers well and badly, without a network. */
import { describe, expect, it } from 'vitest';
import { createClient, openSession, TurnpikeError } from '../../functions/client/client.ts';
import type { Platform } from '../../functions/client/platform.ts';
import type { Line } from '../../functions/client/wire.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
const word = (seq: number, text = 'x'): Line => ({ type: 'text', text, from: seq, cursor: `1.${seq}` });
const last = (seq: number): Line => ({
  type: 'turn_status',
  status: 'complete',
  from: seq,
  cursor: `1.${seq}`,
});
const stream =
  (...lines: Line[]) =>
  () =>
    new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
      headers: { 'content-type': 'application/x-ndjson', 'x-turnpike-turn': TURN },
    });
const refusal =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { code, message: code, turn: 'other' } }, { status, headers });

type Call = { readonly method: string; readonly url: string; readonly token: string; readonly body: unknown };

/** A client of a server that gives these answers, one after the other, and the last for ever. */
function clientOf(...answers: (() => Response | Promise<Response>)[]) {
  const calls: Call[] = [];
  const slept: number[] = [];
  let time = 0;
  const platform: Platform = {
    async fetch(input, init = {}) {
      calls.push({
        method: init.method!,
        url: String(input),
        token: new Headers(init.headers).get('authorization')!,
        body: init.body ? (JSON.parse(init.body as string) as unknown) : undefined,
      });
      const next = answers.length > 1 ? answers.shift()! : answers[0]!;
      return next();
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms >= 20_000) return signal?.addEventListener('abort', () => resolve(), { once: true });
        slept.push(ms);
        time += ms;
        resolve();
      }),
    random: () => 0.5,
    now: () => time,
    key: () => 'made',
  };
  const client = createClient({ url: 'https://x/', control: 'https://y', token: 't', platform });
  return { client, calls, slept, platform };
}

describe('a start', () => {
  it('is one request, with a key of its own, and shows what comes', async () => {
    const { client, calls } = clientOf(stream(word(1, 'a'), word(2, 'b'), last(3)));
    const turn = client.start({ conversation: 'c', text: 'hello' });
    const lines = [];
    for await (const line of turn) lines.push(line.type);
    expect(lines).toEqual(['text', 'text', 'turn_status']);
    expect([await turn.id, turn.text, turn.cursor, await turn.done]).toEqual([
      TURN,
      'ab',
      '1.3',
      { status: 'complete', message: null },
    ]);
    expect(calls).toEqual([
      {
        method: 'POST',
        url: 'https://y/turns',
        token: 'Bearer t',
        body: { conversation: 'c', text: 'hello', idempotencyKey: 'made' },
      },
    ]);
  });

  it('whose answer was lost is sent again under the same key', async () => {
    const fail = () => Promise.reject(new TypeError('no network'));
    const { client, calls, slept } = clientOf(fail, fail, stream(last(1)));
    await client.start({ conversation: 'c', text: 'x', idempotencyKey: 'k' }).done;
    expect(
      calls.map(({ method, body }) => [method, (body as { idempotencyKey: string }).idempotencyKey]),
    ).toEqual(Array(3).fill(['POST', 'k']));
    expect(slept).toEqual([250, 500]);
  });

  it('that broke off goes on behind its cursor, at the follower’s address', async () => {
    const { client, calls } = clientOf(stream(word(1), word(2)), stream(word(3), last(4)));
    const turn = client.start({ conversation: 'c', text: 'x' });
    await turn.done;
    expect(calls[1]).toMatchObject({ method: 'GET', url: `https://x/turns/${TURN}/events?after=1.2` });
    expect(turn.text).toBe('xxx');
  });

  it('that is refused says why, and which turn is in the way', async () => {
    const { client } = clientOf(refusal(409, 'busy'));
    const turn = client.start({ conversation: 'c', text: 'x' });
    const error = await turn.done.catch((one: unknown) => one);
    expect(error).toBeInstanceOf(TurnpikeError);
    expect(error).toMatchObject({ status: 409, code: 'busy', turn: 'other' });
    await expect(turn.id).rejects.toBe(error);
  });
});

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

  it('waits as long as the server asks, and a little longer', async () => {
    const { client, slept } = clientOf(
      refusal(429, 'too_many', { 'retry-after': '7' }),
      refusal(503, 'retry', { 'retry-after': '2' }),
      stream(last(1)),
    );
    await client.follow(TURN).done;
    expect(slept).toEqual([7_250, 2_500]);
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

  it('gives up when there is no answer for five minutes', async () => {
    const { client } = clientOf(() => Promise.reject(new TypeError('no network')));
    await expect(client.follow(TURN).done).rejects.toMatchObject({ code: 'unreachable' });
  });
});

describe('a session', () => {
  it('that is refused is asked for once more', async () => {
    const { platform, calls } = clientOf(refusal(401, 'unauthorized'), stream(last(1)));
    let asked = 0;
    const token = async () => `session${++asked}`;
    await createClient({ url: 'https://x', token, platform }).follow(TURN).done;
    expect(calls.map((call) => call.token)).toEqual(['Bearer session1', 'Bearer session2']);
  });

  it('that is refused twice is an error', async () => {
    const { platform } = clientOf(refusal(401, 'unauthorized'));
    const client = createClient({ url: 'https://x', token: () => 'old', platform });
    await expect(client.follow(TURN).done).rejects.toMatchObject({ status: 401 });
  });

  it('is opened for an OpenID token', async () => {
    const { platform, calls } = clientOf(() => Response.json({ session: 's' }));
    expect(await openSession('https://x', { openid: { access_token: 'o' } }, platform)).toEqual({
      session: 's',
    });
    expect(calls[0]).toMatchObject({
      method: 'POST',
      url: 'https://x/session',
      body: { openid: { access_token: 'o' } },
    });
  });
});

it('stop, consent, state, list and forget are one request each', async () => {
  const { client, calls } = clientOf(
    () => Response.json({ status: 'cancelled' }),
    () => Response.json({ choice: 'yes' }),
    () => Response.json({ turn: TURN }),
    () => Response.json({ turns: [] }),
    () => Response.json({}),
  );
  await client.stop(TURN);
  await client.consent(TURN, { choice: 'yes', seq: 3 });
  await client.status(TURN);
  expect(await client.list('a b')).toEqual([]);
  await client.forget(TURN);
  expect(calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST https://y/turns/${TURN}/stop`,
    `POST https://x/turns/${TURN}/consent`,
    `GET https://x/turns/${TURN}`,
    'GET https://x/turns?conversation=a+b&status=running',
    `DELETE https://x/turns/${TURN}`,
  ]);
});
