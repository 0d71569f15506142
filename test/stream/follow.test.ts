/** Following over HTTP: replay and live, `bye`, cursors, what is forgotten, and many followers that went away. */
import { describe, expect, it } from 'vitest';
import { attemptAt } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { deskOf, turnOf } from './desk.ts';
import { clientOf } from './out.ts';

async function spoken(text = 'hello there') {
  const desk = deskOf();
  const got = await desk.start(text);
  await desk.shop.finish(got.over);
  return { desk, turn: turnOf(got) };
}

describe('a follower', () => {
  it.each([
    [{}, 'application/x-ndjson'],
    [{ headers: { accept: 'text/event-stream' } }, 'text/event-stream'],
    [{ headers: { accept: '*/*' } }, 'application/x-ndjson'],
  ])('gets the format it asks for: %j', async (asked, type) => {
    const { desk, turn } = await spoken();
    const got = await desk.whole('GET', `/turns/${turn}/events`, asked);
    expect(got.headers).toMatchObject({ 'content-type': type, 'x-turnpike-turn': turn });
  });

  it('gets the format that the query names, and 400 for another', async () => {
    const { desk, turn } = await spoken();
    const got = await desk.whole('GET', `/turns/${turn}/events?format=sse`);
    expect(got.text()).toMatch(/^retry: 1000\n\nid: 1\.\d+\ndata: \{"type":"token"/);
    expect((await desk.call('GET', `/turns/${turn}/events?format=toString`)).status).toBe(400);
  });

  it('goes on behind its cursor, exactly, inside of a merged row too', async () => {
    const { desk, turn } = await spoken('a b c d e f g h i j');
    const { tail } = desk.shop.head(turn);
    const words = async (after: string, headers = {}) => {
      const got = await desk.whole('GET', `/turns/${turn}/events${after}`, { headers });
      return got.lines().flatMap(({ type, text }) => (type === 'text' ? [text] : []));
    };
    const whole = (await words('')).join('');
    let seen = '';
    for (let seq = 3; seq < tail - 3; seq++) {
      const rest = (await words(`?after=1.${seq}`)).join('');
      expect(whole.endsWith(rest)).toBe(true);
      seen += whole.slice(seen.length, whole.length - rest.length);
      expect(await words('', { 'last-event-id': `1.${seq}` })).toEqual(await words(`?after=${seq}`));
    }
    expect(seen.length).toBeGreaterThan(10);
  });

  it('that has everything gets 204, and one that is beyond the end 400', async () => {
    const { desk, turn } = await spoken();
    const { tail, bounds } = desk.shop.head(turn);
    expect(attemptAt({ bounds } as never, tail)).toBe(1);
    expect((await desk.call('GET', `/turns/${turn}/events?after=1.${tail}`)).status).toBe(204);
    expect((await desk.call('GET', `/turns/${turn}/events?after=1.${tail + 1}`)).status).toBe(400);
    expect((await desk.call('GET', `/turns/${turn}/events?after=2.1`)).status).toBe(400);
  });

  it('is sent away with `bye` after 55 s, and 20 s before the invocation’s end', async () => {
    const desk = deskOf({ wordDelayMs: 10_000 });
    const turn = await desk.shop.ask('a b c d e f g h i j k l m n');
    const working = desk.shop.receive();
    await desk.shop.clock.advance(1_000);
    const began = desk.shop.clock.monotonic();
    const got = await desk.whole('GET', `/turns/${turn}/events`);
    expect(desk.shop.clock.monotonic() - began).toBeGreaterThanOrEqual(55_000);
    expect(desk.shop.clock.monotonic() - began).toBeLessThan(56_000);
    const bye = got.lines().at(-1)!;
    expect(bye).toEqual({ type: 'bye', cursor: expect.stringMatching(/^1\.\d+$/) });
    expect(got.lines().some(({ type }) => type === 'caught-up')).toBe(true);
    const short = await desk.whole('GET', `/turns/${turn}/events?after=${bye.cursor}`, {
      remainingMs: 30_000,
    });
    expect(desk.shop.clock.monotonic() - began).toBeLessThan(67_000);
    expect(short.lines().at(-1)).toMatchObject({ type: 'bye' });
    await desk.shop.finish(working);
  });

  it('is sent away after 5 MB, and comes back for the rest', async () => {
    const { desk, turn } = await spoken('write 3000 kb');
    const first = await desk.whole('GET', `/turns/${turn}/events?format=ndjson`);
    const second = await desk.whole('GET', `/turns/${turn}/events`);
    expect(second.text()).toBe(first.text());
    const { cursor, type } = first.lines().at(-1)!;
    if (type === 'bye') {
      const rest = await desk.whole('GET', `/turns/${turn}/events?after=${cursor as string}`);
      expect(rest.lines().at(-1)).toMatchObject({ type: 'turn_status' });
    } else expect(first.text().length).toBeLessThan(5_100_000);
  });

  it('that takes 1 KB a second slows neither the turn nor another follower', async () => {
    const desk = deskOf();
    const turn = await desk.shop.ask('write 100 kb');
    const [slow, quick] = [clientOf(desk.shop.clock, 1_000), clientOf(desk.shop.clock)];
    const slowly = await desk.call('GET', `/turns/${turn}/events`, { client: slow });
    const quickly = await desk.call('GET', `/turns/${turn}/events`, { client: quick });
    const working = desk.shop.receive();
    const began = desk.shop.clock.monotonic();
    await desk.shop.finish(working);
    await desk.shop.finish(quickly.over);
    expect(desk.shop.clock.monotonic() - began).toBeLessThan(3_000);
    expect(quickly.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
    // It is held no longer than a connection lasts.
    await desk.shop.finish(slowly.over, 1_000);
    expect(desk.shop.clock.monotonic() - began).toBeLessThan(60_000);
  });

  it('of a turn that was forgotten gets the gap and the end', async () => {
    const { desk, turn } = await spoken('a secret word');
    const { tail } = desk.shop.head(turn);
    expect((await desk.call('DELETE', `/turns/${turn}`)).json).toEqual({});
    expect((await desk.call('DELETE', `/turns/${turn}`)).status).toBe(200);
    const got = await desk.whole('GET', `/turns/${turn}/events`);
    expect(got.lines()).toEqual([
      { type: 'gap', after: '1.0', cursor: `1.${tail - 1}` },
      { type: 'turn_status', status: 'complete', from: tail, cursor: `1.${tail}` },
    ]);
    expect((await desk.call('GET', `/turns/${turn}`)).json).toMatchObject({
      status: 'complete',
      message: null,
    });
    for (const row of desk.shop.turns.all()) expect(JSON.stringify(row)).not.toContain('secret');
    // The same key stands for the first turn, whatever is asked now.
    expect(desk.shop.turns.get(keys.meta(turn))).not.toHaveProperty('in');
  });

  it('of another release’s turn is told to come back', async () => {
    const { desk, turn } = await spoken();
    await desk.shop.change(turn, { format: 2 } as never);
    const got = await desk.call('GET', `/turns/${turn}/events`);
    expect(got).toMatchObject({
      status: 503,
      json: { error: { code: 'retry' } },
      headers: { 'retry-after': '5' },
    });
    expect((await desk.call('GET', `/turns/${turn}`)).status).toBe(503);
  });
});

describe('followers that went away', () => {
  it('cost what their connection still had: reads for 55 s at most, few of them while nothing comes', async () => {
    const desk = deskOf({ wordDelayMs: 20_000 });
    const turn = await desk.shop.ask('a b c d e f');
    const working = desk.shop.receive();
    await desk.shop.clock.advance(500);
    let reads = 0;
    const { get } = desk.deps.work.table;
    Object.assign(desk.deps.work.table, {
      get: (key: { pk: string; sk: string }) => {
        if (key.sk === 'HEAD') reads++;
        return get(key);
      },
    });
    const gone = Array.from({ length: 20 }, () => clientOf(desk.shop.clock));
    const followers = await Promise.all(
      gone.map((client) => desk.call('GET', `/turns/${turn}/events`, { client })),
    );
    for (const client of gone) client.leave();
    await desk.shop.finish(Promise.all(followers.map(({ over }) => over)), 1_000);
    // Four reads a second.
    expect(reads / gone.length).toBeLessThan(55 * 4 + 20);
    await desk.shop.finish(working);
  });
});
