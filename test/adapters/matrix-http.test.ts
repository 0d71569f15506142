/** The client against a server that answers with errors, too late, without end, or not at all. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Answer, event, failure, json, page, recordingServer, room, TOKEN } from './recording-server.ts';

const { state, clientWith } = recordingServer();

describe('a failure', () => {
  const send = (options: object = {}) =>
    clientWith(options).send(room, 'm.room.message', 't', { body: 'words' });

  it.each([
    [json(401, { errcode: 'M_UNKNOWN_TOKEN' }), { kind: 'refused', status: 401, errcode: 'M_UNKNOWN_TOKEN' }],
    [json(413, { errcode: 'M_TOO_LARGE' }), { kind: 'refused', status: 413, errcode: 'M_TOO_LARGE' }],
    [json(429, { errcode: 'M_LIMIT_EXCEEDED' }), { kind: 'limited', status: 429 }],
    [page(429), { kind: 'limited', status: 429, errcode: '' }],
    [json(500, { errcode: 'M_UNKNOWN' }), { kind: 'unreachable', status: 500, errcode: 'M_UNKNOWN' }],
    [page(502), { kind: 'unreachable', status: 502 }],
    [page(503), { kind: 'unreachable', status: 503 }],
    [json(408, { errcode: 'M_UNKNOWN' }), { kind: 'unreachable', status: 408 }],
    [page(403), { kind: 'unreachable', status: 403, errcode: '' }],
    [json(403, { errcode: 'a long story: words' }), { kind: 'unreachable', errcode: '' }],
    [page(200), { kind: 'unreachable', status: 200 }],
    [page(200, ''), { kind: 'unreachable', status: 200 }],
    [json(200, { event_id: 7 }), { kind: 'unreachable', status: 200 }],
    [json(200, ['$e']), { kind: 'unreachable', status: 200 }],
  ])('is one of three kinds (%#)', async (given, expected) => {
    state.answer = given;
    expect(await failure(send())).toMatchObject(expected);
    expect(state.seen).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    state.answer = page(302, '', { location: `${state.origin}/elsewhere` });
    expect(await failure(send())).toMatchObject({ kind: 'unreachable', status: 302 });
    expect(state.seen).toHaveLength(1);
  });

  it.each([
    [{ 'retry-after': '5' }, { retry_after_ms: 4_112 }, 5_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:10 GMT' }, {}, 7_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, {}, 0],
    [{ 'retry-after': 'soon' }, { retry_after_ms: 4_112 }, 4_112],
    [{}, { retry_after_ms: 1_120 }, 1_120],
    [{}, { retry_after_ms: '5' }, undefined],
    [{}, { retry_after_ms: -5 }, undefined],
    [{}, {}, undefined],
  ])('says how long to wait: %j %j → %j', async (headers, body, ms) => {
    for (const status of [429, 503]) {
      state.answer = json(
        status,
        { errcode: 'M_LIMIT_EXCEEDED', ...body },
        headers as Record<string, string>,
      );
      expect((await failure(send({ now: () => 3_000 }))).retryAfterMs).toBe(ms);
    }
  });

  it('of a ping says what the webhook answered', async () => {
    state.answer = json(502, { errcode: 'M_BAD_STATUS', error: 'no', status: 403, body: 'secret' });
    expect(await failure(clientWith().ping('x'))).toMatchObject({ errcode: 'M_BAD_STATUS', pinged: 403 });
  });

  it('without a connection is one', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const error = await failure(send({ homeserver: `http://127.0.0.1:${port}` }));
    expect(error).toMatchObject({ kind: 'unreachable', status: 0 });
    expect(error.message).toBe('send: unreachable ECONNREFUSED');
  });

  it('in the middle of an answer is one', async () => {
    state.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"event_id"');
      setImmediate(() => response.destroy());
    };
    expect(await failure(send())).toMatchObject({ kind: 'unreachable', status: 0 });
    state.answer = (response) => response.destroy();
    expect(await failure(send())).toMatchObject({ kind: 'unreachable', status: 0 });
  });

  it('holds neither token, nor address, nor words', async () => {
    const url = `${state.origin}?access_token=${TOKEN}`;
    const givenUp = AbortSignal.abort(new Error(`${TOKEN} words`));
    const errors = await Promise.all([
      failure(send({ homeserver: url })),
      failure(clientWith().messages(room, { limit: 1, from: 'words' })),
      failure(clientWith().send(room, 'words', 't', { body: 'words' }, { signal: givenUp })),
      failure(clientWith({ homeserver: `not a url ${TOKEN}` }).whoami()),
    ]);
    state.answer = json(403, { errcode: 'M_FORBIDDEN', error: `words ${TOKEN}` });
    errors.push(await failure(send()));
    for (const error of errors) {
      const all = [error.message, error.stack, String(error.cause), JSON.stringify(error)].join();
      for (const secret of [TOKEN, 'words', 'access_token', room]) expect(all).not.toContain(secret);
    }
  });
});

describe('time', () => {
  const never: Answer = () => undefined;
  const endless: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 5);
    response.on('close', () => clearInterval(timer));
  };

  it.each([
    ['never begins', never],
    ['never ends', endless],
  ])('is limited when an answer %s, for reads and writes alike', async (_, given) => {
    state.answer = given;
    const quick = clientWith({ readTimeoutMs: 40, sendTimeoutMs: 60_000 });
    const read = await failure(quick.whoami());
    expect([read.kind, read.message]).toEqual(['unreachable', 'whoami: unreachable timed out']);
    const slow = clientWith({ readTimeoutMs: 60_000, sendTimeoutMs: 40 });
    const write = await failure(slow.send(room, 'm.room.message', 't', {}));
    expect(write.message).toBe('send: unreachable timed out');
  });

  it('is not made when it may no longer leave once its token is there', async () => {
    let isOurs = true;
    const rotating = clientWith({
      token: async () => {
        isOurs = false;
        return TOKEN;
      },
    });
    const sent = rotating.send(room, 'm.room.message', 't', {}, { mayLeave: () => isOurs });
    expect((await failure(sent)).message).toBe('send: held');
    expect(state.seen).toEqual([]);
  });

  it('is over when the caller says so', async () => {
    state.answer = endless;
    const caller = new AbortController();
    const call = failure(clientWith().whoami({ signal: caller.signal }));
    setTimeout(() => caller.abort(), 20);
    expect((await call).message).toBe('whoami: unreachable given up');
    expect(await failure(clientWith().whoami({ signal: AbortSignal.abort() }))).toMatchObject({ status: 0 });
  });
});

describe('an answer without end', () => {
  /** Writes until the client hangs up; resolves with how many bytes that took. */
  const flood =
    (opening: string, closed: (bytes: number) => void): Answer =>
    (response) => {
      let bytes = 0;
      const chunk = 'x'.repeat(16_384);
      const write = () => {
        while (!response.destroyed) {
          bytes += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.writeHead(200, { 'content-type': 'application/json' }).write(opening);
      response.on('drain', write).on('close', () => closed(bytes));
      write();
    };
  const flooded = (opening: string) =>
    new Promise<number>((resolve) => {
      state.answer = flood(opening, resolve);
    });

  it('is read no further than a megabyte, of members as of anything', async () => {
    for (const call of ['joinedMembers', 'invitedMembers'] as const) {
      const closed = flooded('{"joined":{"');
      expect(await clientWith()[call](room)).toEqual({ members: [], truncated: true });
      expect(await closed).toBeLessThan(8_000_000);
    }
    const closed = flooded('{"user_id":"');
    expect(await failure(clientWith().whoami())).toMatchObject({ kind: 'unreachable', status: 200 });
    expect(await closed).toBeLessThan(8_000_000);
  });

  it('that is an error is read no further than it takes', async () => {
    state.answer = page(502, 'x'.repeat(5_000_000));
    expect(await failure(clientWith().whoami())).toMatchObject({ kind: 'unreachable', status: 502 });
  });

  it('of many members is cut', async () => {
    const joined = Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`@u${n}:hs`, {}]));
    state.answer = json(200, { joined });
    const { members, truncated } = await clientWith().joinedMembers(room);
    expect([members.length, truncated]).toEqual([5_000, true]);
    const { '@u0:hs': _, ...fewer } = joined;
    state.answer = json(200, { joined: fewer });
    expect(await clientWith().joinedMembers(room)).toMatchObject({ truncated: false });
  });

  it('may be long where messages are', async () => {
    const content = { msgtype: 'm.text', body: 'x'.repeat(60_000) };
    state.answer = json(200, { chunk: Array.from({ length: 50 }, (_, n) => event(`$${n}`, { content })) });
    expect((await clientWith().messages(room, { limit: 50 })).events).toHaveLength(50);
  });
});
