/** Asking a homeserver whose OpenID token it is: what counts as its word, and all that does not. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openIdUserinfo } from '../../functions/adapters/matrix-http/openid.ts';
import { type Answer, json, page, recordingServer } from './recording-server.ts';

const { state } = recordingServer();
const SECRET = 'very+secret/token=&sub=@eve:hs';

async function ask(answer: Answer, base = state.origin) {
  state.answer = answer;
  return openIdUserinfo(new Map([['hs', base]]))('hs', SECRET);
}

describe('a homeserver', () => {
  it('says whose token it is, asked once at its own address', async () => {
    expect(await ask(json(200, { sub: '@ana:hs' }))).toEqual({ kind: 'sub', sub: '@ana:hs' });
    expect(state.seen).toEqual([
      {
        method: 'GET',
        path: '/_matrix/federation/v1/openid/userinfo',
        query: new URLSearchParams({ access_token: SECRET }),
        body: undefined,
      },
    ]);
  });

  it('that is not known is not asked', async () => {
    const userinfo = openIdUserinfo(new Map([['hs', state.origin]]));
    for (const server of ['other', '127.0.0.1', '__proto__', 'constructor', ''])
      expect(await userinfo(server, SECRET)).toEqual({ kind: 'refused' });
    expect(state.seen).toEqual([]);
  });

  it.each<[string, Answer]>([
    ['an unknown token', json(401, { errcode: 'M_UNKNOWN_TOKEN', sub: '@ana:hs' })],
    ['another success', json(201, { sub: '@ana:hs' })],
    ['a page', page(200)],
    ['no words at all', page(200, '')],
    ['a list', json(200, ['@ana:hs'])],
    ['null', json(200, null)],
    ['no sub', json(200, {})],
    ['a list of subs', json(200, { sub: ['@ana:hs'] })],
    ['an object', json(200, { sub: { toString: '@ana:hs' } })],
    ['more than 64 KB', json(200, { sub: '@ana:hs', more: 'x'.repeat(70_000) })],
    ['half an answer', page(200, '{"sub":"@ana:hs"')],
  ])('that answers with %s says nothing', async (_, answer) => {
    expect(await ask(answer)).toEqual({ kind: 'refused' });
  });

  it.each([301, 302, 303, 307, 308])('that sends us on with %i is not followed', async (status) => {
    expect(await ask(json(status, { sub: '@ana:hs' }, { location: `${state.origin}/there` }))).toEqual({
      kind: 'refused',
    });
    expect(state.seen).toHaveLength(1);
  });

  it.each<[string, Answer]>([
    ['is at its limit', json(429, { errcode: 'M_LIMIT_EXCEEDED' })],
    ['fails', page(502)],
    ['hangs up', (response) => response.destroy()],
    ['hangs up in the middle', (response) => response.write('{"sub":', () => response.destroy())],
  ])('that %s is to be asked later', async (_, answer) => {
    expect(await ask(answer)).toEqual({ kind: 'unreachable' });
  });

  it('that is not there is to be asked later', async () => {
    expect(await ask(json(200, {}), 'http://127.0.0.1:1')).toEqual({ kind: 'unreachable' });
  });
});

describe('a slow homeserver', () => {
  const limits: number[] = [];
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  beforeEach(() => {
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      limits.push(ms);
      return timeout(40);
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it.each<[string, Answer]>([
    ['before its headers', () => undefined],
    ['in its body', (response) => void response.writeHead(200).write('{"sub":')],
  ])('is waited for three seconds, %s', async (_, answer) => {
    expect(await ask(answer)).toEqual({ kind: 'unreachable' });
    expect(limits.splice(0)).toEqual([3_000]);
  });
});
