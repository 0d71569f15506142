/** A session for an OpenID token: whose word counts, what is spent, and what comes before anybody is asked. */
import { describe, expect, it } from 'vitest';
import type { AccessDeps } from '../../functions/access/ports.ts';
import { memoryRows, memoryTable, type Through, tableOver } from '../fakes/table.ts';
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

it('counts a whole IPv6 network as one address', async () => {
  const gate = accessGate();
  const from = (address: string) => gate.open(gate.openid('@ana:hs'), undefined, address);
  for (let n = 0; n < 10; n++) expect((await from(`2001:db8::${n}`)).kind).toBe('session');
  expect(await from('2001:db8:0:0:ffff::1')).toMatchObject({ code: 'too_many' });
  expect((await from('2001:db8:0:1::1')).kind).toBe('session');
});

describe('a session that the room confirms', () => {
  function confirming(more: Partial<AccessDeps> = {}) {
    const sent: string[] = [];
    const gate = accessGate({
      ...more,
      confirm: async (user, code) => {
        sent.push(`${user} ${code}`);
        return true;
      },
    });
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

  it('sends ten codes an hour to a person, whoever asks, and nobody else waits for it', async () => {
    const gate = confirming();
    for (let n = 0; n < 10; n++) expect(await gate.open(gate.openid('@ana:hs'))).toEqual({ kind: 'confirm' });
    expect(await gate.open(gate.openid('@ana:hs'))).toMatchObject({ code: 'too_many' });
    expect(gate.sent).toHaveLength(10);
    expect(await gate.open(gate.openid('@ben:hs'))).toEqual({ kind: 'confirm' });
    await gate.clock.advance(3_600_000);
    expect(await gate.open(gate.openid('@ana:hs'))).toEqual({ kind: 'confirm' });
  });

  it('keeps people apart whose ids have what separates keys', async () => {
    const gate = confirming();
    await gate.open(gate.openid('@ana#CODE:hs'));
    const code = gate.code();
    expect(await gate.open(gate.openid('@ana:hs'), code)).toMatchObject({ code: 'unauthorized' });
    expect(await gate.open(gate.openid('@ana#CODE:hs'), code)).toMatchObject({ user: '@ana#CODE:hs' });
  });

  it('takes one of two who show the code at once', async () => {
    const gate = confirming();
    await gate.open(gate.openid('@ana:hs'));
    const shown = [1, 2, 3].map(() => gate.open(gate.openid('@ana:hs'), gate.code()));
    expect((await Promise.all(shown)).map(({ kind }) => kind).sort()).toEqual([
      'refused',
      'refused',
      'session',
    ]);
  });

  it('keeps neither the code nor the token as it was', async () => {
    const rows = memoryRows();
    const gate = confirming({ table: tableOver(rows) });
    const openid = gate.openid('@ana:hs');
    await gate.open(openid);
    const plain = (_: string, value: unknown) => (value instanceof Set ? [...value] : value);
    const kept = JSON.stringify(rows.all(), plain);
    expect(kept).toContain('SPENT');
    for (const secret of [gate.code(), openid.access_token]) expect(kept).not.toContain(secret);
  });

  it('is opened though the store loses every first answer', async () => {
    const twice: Through = async (_, effect) => {
      effect();
      return effect();
    };
    const gate = confirming({ table: memoryTable(twice) });
    await gate.open(gate.openid('@ana:hs'));
    for (let n = 0; n < 4; n++) await gate.open(gate.openid('@ana:hs'), 'wrong');
    expect((await gate.open(gate.openid('@ana:hs'), gate.code())).kind).toBe('session');
  });

  it('is to be asked for again when the code cannot be sent', async () => {
    const gate = accessGate({ confirm: async () => false });
    expect(await gate.open(gate.openid('@ana:hs'))).toMatchObject({ code: 'retry', retryAfterS: 5 });
  });

  it.each([7, ['1'], {}, null])('takes a code that is text only: %j', async (code) => {
    const gate = confirming();
    expect(await gate.open(gate.openid('@ana:hs'), code)).toMatchObject({ code: 'bad_request' });
  });
});
