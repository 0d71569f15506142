/** A session for an OpenID token: whose word counts, what is spent, and what comes before anybody is asked. */
import { describe, expect, it } from 'vitest';
import { accessGate } from './gate.ts';

describe('a session', () => {
  it('is for whom the homeserver names, and good for 15 min', async () => {
    const gate = accessGate();
    expect(await gate.open(gate.openid('@ana:hs'))).toEqual({
      kind: 'session',
      session: expect.any(String),
      principal: 'person of @ana:hs',
      user: '@ana:hs',
      expires: gate.clock.now() + 15 * 60_000,
    });
  });

  it('is opened once a token, also by two at once', async () => {
    const gate = accessGate();
    const openid = gate.openid('@ana:hs');
    const opened = await Promise.all([gate.open(openid), gate.open(openid), gate.open(openid)]);
    expect(opened.map(({ kind }) => kind).sort()).toEqual(['refused', 'refused', 'session']);
    expect(gate.asked).toHaveLength(1);
    expect(await gate.open(openid)).toMatchObject({ code: 'unauthorized' });
  });

  it.each([
    ['another server’s person', '@ana:other.example'],
    ['a server whose name begins so', '@ana:hs.evil.example'],
    ['a server hidden behind a second colon', '@ana:evil:hs'],
    ['no user id', 'ana'],
    ['nothing', ''],
  ])('is not opened when a server speaks for %s', async (_, sub) => {
    const gate = accessGate();
    expect(await gate.open(gate.openid(sub))).toMatchObject({ kind: 'refused', code: 'unauthorized' });
  });

  it('is opened for a server with a port, as its people have it', async () => {
    const gate = accessGate();
    const server = 'other.example:8448';
    expect(await gate.open(gate.openid(`@ana:${server}`, server))).toMatchObject({ kind: 'session' });
    expect(await gate.open(gate.openid('@ana:other.example', server))).toMatchObject({ kind: 'refused' });
  });

  it.each(['evil.example', '169.254.169.254', 'localhost', 'hs:8448', 'HS', '__proto__', ''])(
    'asks nobody at a server that is not listed: %j',
    async (server) => {
      const gate = accessGate();
      expect(await gate.open(gate.openid('@ana:hs', server))).toMatchObject({ code: 'forbidden' });
      expect(gate.asked).toEqual([]);
    },
  );

  it.each([
    undefined,
    null,
    'token',
    [],
    {},
    { access_token: 'x' },
    { access_token: ['x'], matrix_server_name: 'hs' },
    { access_token: { length: 1 }, matrix_server_name: 'hs' },
    { access_token: 'x', matrix_server_name: ['hs'] },
    { access_token: 'a b', matrix_server_name: 'hs' },
    { access_token: 'x&sub=@ana:hs\n', matrix_server_name: 'hs' },
    { access_token: 'x'.repeat(3_000), matrix_server_name: 'hs' },
    { access_token: '', matrix_server_name: 'hs' },
  ])('is not opened for what is no token: %j', async (openid) => {
    const gate = accessGate();
    expect(await gate.open(openid)).toMatchObject({ kind: 'refused', code: 'bad_request' });
    expect(gate.asked).toEqual([]);
  });

  it('waits for a homeserver that is away, with another token', async () => {
    const gate = accessGate();
    const openid = gate.openid('@ana:hs');
    gate.tokens.set(`hs ${openid.access_token}`, { kind: 'unreachable' });
    expect(await gate.open(openid)).toMatchObject({ code: 'retry', retryAfterS: 5 });
  });

  it('is asked for ten times a minute from one address, and 300 times in all, before anybody is asked', async () => {
    const gate = accessGate();
    for (let n = 0; n < 10; n++)
      expect((await gate.open(gate.openid('@ana:hs'), undefined, '10.1.1.1')).kind).toBe('session');
    expect(await gate.open(gate.openid('@ana:hs'), undefined, '10.1.1.1')).toMatchObject({
      code: 'too_many',
      retryAfterS: expect.any(Number),
    });
    expect(gate.asked).toHaveLength(10);
    for (let n = 0; n < 290; n++) await gate.open(gate.openid('@ana:hs'), undefined, `10.2.${n >> 3}.1`);
    const asked = gate.asked.length;
    expect(await gate.open(gate.openid('@ana:hs'), undefined, '10.9.9.9')).toMatchObject({
      code: 'too_many',
    });
    expect(gate.asked).toHaveLength(asked);
    await gate.clock.advance(60_000);
    expect((await gate.open(gate.openid('@ana:hs'), undefined, '10.1.1.1')).kind).toBe('session');
  });
});

describe('a session that the room confirms', () => {
  function confirming() {
    const sent: string[] = [];
    const gate = accessGate({ confirm: async (user, code) => void sent.push(`${user} ${code}`) });
    return { ...gate, sent, code: () => sent.at(-1)!.split(' ')[1]! };
  }

  it('needs the code that the person was sent, once', async () => {
    const gate = confirming();
    expect(await gate.open(gate.openid('@ana:hs'))).toEqual({ kind: 'confirm' });
    expect(gate.sent[0]).toMatch(/^@ana:hs \d{6}$/);
    const opened = await gate.open(gate.openid('@ana:hs'), gate.code());
    expect(opened).toMatchObject({ kind: 'session', user: '@ana:hs' });
    expect(await gate.open(gate.openid('@ana:hs'), gate.code())).toMatchObject({ code: 'unauthorized' });
  });

  it('is not opened by another person’s code', async () => {
    const gate = confirming();
    await gate.open(gate.openid('@ana:hs'));
    const anas = gate.code();
    await gate.open(gate.openid('@ben:hs'));
    expect(await gate.open(gate.openid('@ben:hs'), anas)).toMatchObject({ code: 'unauthorized' });
  });

  it('is not opened after five tries, or ten minutes', async () => {
    const gate = confirming();
    await gate.open(gate.openid('@ana:hs'));
    for (let n = 0; n < 5; n++) await gate.open(gate.openid('@ana:hs'), '000000x', '10.3.3.3');
    expect(await gate.open(gate.openid('@ana:hs'), gate.code())).toMatchObject({ code: 'unauthorized' });
    await gate.open(gate.openid('@ana:hs'));
    await gate.clock.advance(10 * 60_000 + 1);
    expect(await gate.open(gate.openid('@ana:hs'), gate.code())).toMatchObject({ code: 'unauthorized' });
  });

  it.each([7, ['1'], {}, null])('takes a code that is text only: %j', async (code) => {
    const gate = confirming();
    expect(await gate.open(gate.openid('@ana:hs'), code)).toMatchObject({ code: 'bad_request' });
  });
});
