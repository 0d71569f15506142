/** What the client asks of the server, and with whose session. */
import { describe, expect, it } from 'vitest';
import { createClient, openSession, TurnpikeError } from '../../functions/client/client.ts';
import { clientOf, last, refusal, stream, TURN, word } from './answers.ts';

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

describe('a session', () => {
  it('that is refused is asked for once more', async () => {
    const { platform, calls } = clientOf(refusal(401, 'unauthorized'), stream(last(1)));
    const refused: (string | undefined)[] = [];
    const token = async (session?: string) => `session${refused.push(session)}`;
    await createClient({ url: 'https://x', token, platform }).follow(TURN).done;
    expect(refused).toEqual([undefined, 'session1']);
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
