/** What is refused before the first byte: origins before any work, then methods, sizes, types and fields. */
import { describe, expect, it } from 'vitest';
import { BEN, CEM } from '../work/people.ts';
import { type Asked, deskOf, turnOf } from './desk.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
const good = { conversation: 'c', text: 'hello' };

describe('a request', () => {
  it.each(['https://evil.example', 'null', 'https://chat.example.evil.example'])(
    'from the origin %s is refused before any work',
    async (origin) => {
      const desk = deskOf();
      const calls = desk.shop.calls.length;
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const got = await desk.call(method, '/turns', { as: undefined, body: good, headers: { origin } });
        expect(got).toMatchObject({ status: 403, json: { error: { code: 'forbidden' } } });
        expect(got.headers).not.toHaveProperty('access-control-allow-origin');
      }
      expect(desk.shop.calls.length).toBe(calls);
    },
  );

  it('from an origin of the list is told so, on answers and refusals alike', async () => {
    const desk = deskOf();
    const headers = { origin: desk.ORIGIN };
    const asked = await desk.call('OPTIONS', '/turns', { as: undefined, headers });
    expect(asked).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': desk.ORIGIN,
        'access-control-allow-methods': 'GET, POST, DELETE',
      },
    });
    for (const as of [undefined, BEN]) {
      const got = await desk.call('GET', '/turns?conversation=c', { as, headers });
      expect(got.headers).toMatchObject({ 'access-control-allow-origin': desk.ORIGIN, vary: 'Origin' });
    }
  });

  it.each([
    ['GET', '/'],
    ['GET', '/turns/a/b/c'],
    ['POST', '/chat/stream'],
    ['GET', '//turns'],
  ])('%s %s leads nowhere', async (method, path) => {
    expect(await deskOf().call(method, path)).toMatchObject({ status: 404 });
  });

  it('by another method is told which there are', async () => {
    const got = await deskOf().call('PUT', `/turns/${TURN}`);
    expect(got).toMatchObject({ status: 405, headers: { allow: 'GET, DELETE' } });
  });

  it.each([
    ['POST', '/turns', good],
    ['GET', '/turns?conversation=c', undefined],
    ['GET', `/turns/${TURN}`, undefined],
    ['GET', `/turns/${TURN}/events`, undefined],
    ['POST', `/turns/${TURN}/stop`, {}],
    ['POST', `/turns/${TURN}/consent`, { choice: 'yes', seq: 1 }],
    ['POST', `/turns/${TURN}/ticket`, { scope: 'follow' }],
    ['DELETE', `/turns/${TURN}`, undefined],
    ['POST', '/chat', { id: 'c', messages: [] }],
    ['GET', '/chat/c/stream', undefined],
  ])('%s %s without a session is 401', async (method, path, body) => {
    const got = await deskOf().call(method, path, { as: undefined, ...(body && { body }) });
    expect(got).toMatchObject({ status: 401, json: { error: { code: 'unauthorized' } } });
  });

  it.each<[number, Asked]>([
    [415, { body: good, headers: { 'content-type': 'text/plain' } }],
    [400, { body: '{"conversation":' }],
    [400, { body: '[]' }],
    [400, { body: 'null' }],
    [413, { body: { ...good, text: 'x'.repeat(70_000) } }],
    [400, { body: { text: 'x' } }],
    [400, { body: { conversation: 'c' } }],
    [400, { body: { ...good, text: '  ' } }],
    [400, { body: { ...good, text: ['x'] } }],
    [400, { body: { ...good, conversation: { toString: 'x' } } }],
    [400, { body: { ...good, conversation: 'x'.repeat(201) } }],
    [400, { body: { ...good, idempotencyKey: 7 } }],
    [400, { body: { ...good, idempotencyKey: 'x'.repeat(201) } }],
    [400, { body: { ...good, whenBusy: 'constructor' } }],
    [400, { body: '{"__proto__":{"conversation":"c","text":"x"}}' }],
  ])('to start that is not one: %i %j', async (status, asked) => {
    const desk = deskOf();
    const got = await desk.call('POST', '/turns', asked);
    expect(got.status).toBe(status);
    expect(desk.shop.calls.filter(({ name }) => name === 'meta')).toEqual([]);
  });

  it.each(['x', '1.', '.1', '1.1.1', '-1', '1e3', '1000.1', '1.99999999999', ' 1'])(
    'behind %j is 400: no cursor',
    async (after) => {
      const got = await deskOf().call('GET', `/turns/${TURN}/events?${new URLSearchParams({ after })}`);
      expect(got).toMatchObject({ status: 400, json: { error: { code: 'bad_request' } } });
    },
  );

  it.each(['x', 'constructor', TURN, `${TURN}x`, '..%2f', '%E0%A4%A'])(
    'of the turn %j finds none',
    async (turn) => {
      const got = await deskOf().call('GET', `/turns/${turn}`);
      expect([400, 404]).toContain(got.status);
    },
  );

  it('that fails inside says nothing of it', async () => {
    const desk = deskOf();
    desk.shop.before('quota', () => {
      throw new Error('secret');
    });
    const got = await desk.start('hello');
    expect(got).toMatchObject({ status: 500, json: { error: { code: 'internal' } } });
    expect(JSON.stringify(got.json)).not.toContain('secret');
    expect(desk.failures).toHaveLength(1);
  });
});

describe('a turn of another person', () => {
  it('over HTTP is nobody else’s to see, stop, answer, follow or forget', async () => {
    const desk = deskOf();
    const got = await desk.start('hello');
    await desk.shop.finish(got.over);
    const turn = turnOf(got);
    for (const [method, path, body] of [
      ['GET', `/turns/${turn}`, undefined],
      ['GET', `/turns/${turn}/events`, undefined],
      ['POST', `/turns/${turn}/stop`, {}],
      ['POST', `/turns/${turn}/consent`, { choice: 'yes', seq: 1 }],
      ['POST', `/turns/${turn}/ticket`, { scope: 'follow' }],
      ['DELETE', `/turns/${turn}`, undefined],
    ] as const)
      expect((await desk.call(method, path, { as: BEN, ...(body && { body }) })).status, path).toBe(403);
    expect((await desk.call('GET', '/turns?conversation=c', { as: BEN })).json).toEqual({ turns: [] });
  });

  it('in a room may be followed by its members, and stopped by who may redact there', async () => {
    const desk = deskOf({ wordDelayMs: 1_000 });
    const { shop } = desk;
    const turn = await shop.ask('one two three four five', { room: shop.group, sender: BEN });
    const working = shop.receive();
    await shop.clock.advance(1_000);
    expect((await desk.call('GET', `/turns/${turn}`, { as: CEM })).status).toBe(200);
    expect((await desk.call('POST', `/turns/${turn}/stop`, { as: CEM, body: {} })).status).toBe(403);
    expect((await desk.call('DELETE', `/turns/${turn}`, { as: CEM })).status).toBe(403);
    shop.rooms.leave(CEM, shop.group);
    expect((await desk.call('GET', `/turns/${turn}/events`, { as: CEM })).status).toBe(403);
    // The room's creator.
    expect((await desk.call('POST', `/turns/${turn}/stop`, { body: {} })).json).toEqual({
      status: 'running',
    });
    await shop.finish(working);
    expect(shop.head(turn).status).toBe('cancelled');
  });

  it('in a direct room is nobody else’s to follow', async () => {
    const desk = deskOf();
    const turn = await desk.shop.ask('hello');
    await desk.shop.run();
    expect((await desk.call('GET', `/turns/${turn}`, { as: BEN })).status).toBe(403);
    expect((await desk.whole('GET', `/turns/${turn}/events`)).lines().at(-1)).toMatchObject({
      status: 'complete',
    });
  });
});

describe('a ticket', () => {
  it('is for one turn and one thing', async () => {
    const desk = deskOf();
    const [got, other] = [await desk.start('hello'), await desk.start('hello', { conversation: 'd' })];
    await Promise.all([desk.shop.finish(got.over), desk.shop.finish(other.over)]);
    const minted = await desk.call('POST', `/turns/${turnOf(got)}/ticket`, { body: { scope: 'follow' } });
    const headers = { authorization: `Bearer ${minted.json.ticket as string}` };
    const asked = { as: undefined, headers };
    expect((await desk.whole('GET', `/turns/${turnOf(got)}/events`, asked)).status).toBe(200);
    expect((await desk.call('GET', `/turns/${turnOf(got)}`, asked)).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', `/turns/${turnOf(other)}/events`, undefined],
      ['POST', `/turns/${turnOf(got)}/stop`, {}],
      ['POST', `/turns/${turnOf(got)}/ticket`, { scope: 'follow' }],
      ['DELETE', `/turns/${turnOf(got)}`, undefined],
      ['POST', '/turns', good],
      ['GET', '/turns?conversation=c', undefined],
    ] as const)
      expect((await desk.call(method, path, { ...asked, ...(body && { body }) })).status, path).toBe(403);
  });
});
