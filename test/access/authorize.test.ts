/** The trust boundary: what proves a caller, and all that does not. */
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { authorize, type Proof } from '../../functions/access/authorize.ts';
import { mintTicket } from '../../functions/access/ticket.ts';
import { accessGate, keyNamed, ORIGIN } from './gate.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
const bearer = (token: string, more: Proof = {}): Proof => ({ authorization: `Bearer ${token}`, ...more });
const unauthorized = { kind: 'refused', code: 'unauthorized' };

async function opened() {
  const gate = accessGate();
  const session = await gate.sessionOf('@ana:hs');
  const caller = await authorize(gate.deps, bearer(session));
  if (caller.kind !== 'caller') throw new Error('refused');
  const ticket = async (allows: 'follow' | 'stop' = 'follow', origin?: string) => {
    const until = gate.clock.now() + 3_600_000;
    return (
      await mintTicket(gate.deps, caller, {
        turn: TURN,
        allows,
        until,
        ...(origin !== undefined && { origin }),
      })
    ).ticket;
  };
  return { gate, session, caller, ticket };
}

describe('a session', () => {
  it('proves its person in this tenant', async () => {
    const { caller } = await opened();
    expect(caller).toEqual({
      kind: 'caller',
      tenant: 'hs',
      principal: 'person of @ana:hs',
      user: '@ana:hs',
      scope: { kind: 'session' },
    });
  });

  it('is good for 15 min, and five seconds of two clocks’ difference', async () => {
    const { gate, session } = await opened();
    await gate.clock.advance(15 * 60_000);
    expect((await authorize(gate.deps, bearer(session))).kind).toBe('caller');
    await gate.clock.advance(6_000);
    expect(await authorize(gate.deps, bearer(session))).toMatchObject(unauthorized);
  });

  it('is good for one tenant', async () => {
    const { gate, session } = await opened();
    expect(await authorize({ ...gate.deps, tenant: 'another' }, bearer(session))).toMatchObject(unauthorized);
  });

  it('outlives a rotation of its key, until the old key’s time', async () => {
    const { gate, session } = await opened();
    const until = gate.clock.now() + 60_000;
    gate.rotate({ current: keyNamed('two'), previous: keyNamed('one', { until }) });
    expect((await authorize(gate.deps, bearer(session))).kind).toBe('caller');
    await gate.clock.advance(60_001);
    expect(await authorize(gate.deps, bearer(session))).toMatchObject(unauthorized);
  });

  it('ends when its homeserver is taken off the list', async () => {
    const { gate, session } = await opened();
    const deps = { ...gate.deps, servers: ['other.example:8448'] };
    expect(await authorize(deps, bearer(session))).toMatchObject({ kind: 'refused', code: 'forbidden' });
  });

  it('is not judged without the keys', async () => {
    const { gate, session } = await opened();
    const keys = () => Promise.reject(new TypeError('no secret'));
    await expect(authorize({ ...gate.deps, keys }, bearer(session))).rejects.toThrow('no secret');
  });

  it('is not taken from a query', async () => {
    const { gate, session } = await opened();
    const deps = { ...gate.deps, ticketInQuery: true };
    expect(await authorize(deps, { ticket: session })).toMatchObject(unauthorized);
  });
});

describe('a ticket', () => {
  it('proves leave for one thing with one turn', async () => {
    const { gate, ticket } = await opened();
    expect(await authorize(gate.deps, bearer(await ticket('stop')))).toMatchObject({
      user: '@ana:hs',
      scope: { kind: 'ticket', turn: TURN, allows: 'stop' },
    });
  });

  it('is good again and again for 15 min', async () => {
    const { gate, ticket } = await opened();
    const shown = bearer(await ticket());
    for (let n = 0; n < 3; n++) expect((await authorize(gate.deps, shown)).kind).toBe('caller');
    await gate.clock.advance(15 * 60_000 + 6_000);
    expect(await authorize(gate.deps, shown)).toMatchObject(unauthorized);
  });

  it('of an origin is good there only', async () => {
    const { gate, ticket } = await opened();
    const token = await ticket('follow', ORIGIN);
    expect((await authorize(gate.deps, bearer(token, { origin: ORIGIN }))).kind).toBe('caller');
    for (const origin of ['https://evil.example', 'null'])
      expect(await authorize(gate.deps, bearer(token, { origin }))).toMatchObject({ code: 'forbidden' });
    expect(await authorize(gate.deps, bearer(token))).toMatchObject({ code: 'forbidden' });
  });

  it('in the query is taken where that is switched on', async () => {
    const { gate, ticket } = await opened();
    const token = await ticket();
    expect(await authorize(gate.deps, { ticket: token })).toMatchObject(unauthorized);
    const deps = { ...gate.deps, ticketInQuery: true };
    expect((await authorize(deps, { ticket: token })).kind).toBe('caller');
  });
});

describe('what proves nothing', () => {
  const { secret } = keyNamed('one');
  const now = () => Math.floor(accessGate().clock.now() / 1_000);
  const signed = (header: object, claims: object, key = secret) =>
    new SignJWT({ iss: 'turnpike', aud: 'hs', sub: '@ana:hs', iat: now(), exp: now() + 60, ...claims })
      .setProtectedHeader({ alg: 'HS256', kid: 'one', typ: 'session+jwt', ...header })
      .sign(key);

  it('has the shape the tests take for granted', async () => {
    expect((await authorize(accessGate().deps, bearer(await signed({}, {})))).kind).toBe('caller');
  });

  it.each<[string, () => Promise<string>]>([
    ['another key', () => signed({}, {}, keyNamed('two').secret)],
    ['an unknown key id', () => signed({ kid: 'two' }, {})],
    ['no key id', () => signed({ kid: undefined }, {})],
    ['another algorithm', () => signed({ alg: 'HS512' }, {})],
    ['another type', () => signed({ typ: 'JWT' }, {})],
    ['another issuer', () => signed({}, { iss: 'somebody' })],
    ['another audience', () => signed({}, { aud: 'other' })],
    ['no audience', () => signed({}, { aud: undefined })],
    ['no end', () => signed({}, { exp: undefined })],
    ['a past end', () => signed({}, { exp: now() - 60 })],
    ['no subject', () => signed({}, { sub: undefined })],
    ['a subject that is no user id', () => signed({}, { sub: 'ana' })],
    ['a ticket without a turn', () => signed({ typ: 'ticket+jwt' }, { allows: 'follow' })],
    ['a ticket for everything', () => signed({ typ: 'ticket+jwt' }, { turn: TURN, allows: 'everything' })],
    ['a ticket for a list of turns', () => signed({ typ: 'ticket+jwt' }, { turn: [TURN], allows: 'stop' })],
    [
      'no signature',
      async () =>
        new UnsecuredJWT({
          iss: 'turnpike',
          aud: 'hs',
          sub: '@ana:hs',
          iat: now(),
          exp: now() + 60,
        }).encode(),
    ],
    ['a longer token than any of ours', () => signed({}, { x: 'x'.repeat(5_000) })],
    ['no token', async () => 'nonsense'],
    ['three dots', async () => 'a.b.c'],
  ])('%s', async (_, made) => {
    expect(await authorize(accessGate().deps, bearer(await made()))).toMatchObject(unauthorized);
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'bearer'])(
    'the header %j',
    async (authorization) => {
      const proof = authorization === undefined ? {} : { authorization };
      expect(await authorize(accessGate().deps, proof)).toMatchObject(unauthorized);
    },
  );

  it('a token that was changed anywhere', async () => {
    const { gate, session } = await opened();
    for (let at = 0; at < session.length; at += 7) {
      if (session[at] === '.') continue;
      const changed = session.slice(0, at) + (session[at] === 'A' ? 'B' : 'A') + session.slice(at + 1);
      expect((await authorize(gate.deps, bearer(changed))).kind, String(at)).toBe('refused');
    }
  });
});
