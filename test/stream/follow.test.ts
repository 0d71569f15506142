/** Following over HTTP: replay and live, `bye`, cursors, what is forgotten, and many followers that went away. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Key, Range } from '../../functions/runtime/table.ts';
import { tellAll } from '../../functions/stream/follow.ts';
import { createTeller } from '../../functions/stream/tell.ts';
import type { Format } from '../../functions/turns/format.ts';
import { attemptAt } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { ndjson } from '../../functions/turns/ndjson.ts';
import { ui } from '../../functions/turns/ui.ts';
import { abandoned } from '../bench/streams/abandoned.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { deskOf, type Got, turnOf } from './desk.ts';
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

  it('is sent away after 5 MB, unless its format can name no cursor', async () => {
    const clock = virtualClock();
    async function* lines(): AsyncGenerator<Line, void> {
      for (let seq = 1; seq <= 80; seq++)
        yield { type: 'text', text: 'x'.repeat(100_000), from: seq, cursor: `1.${seq}` };
      yield { type: 'turn_status', status: 'complete', from: 81, cursor: '1.81' };
    }
    const told = async (format: Format) => {
      const out = clientOf(clock);
      const teller = createTeller(clock, out, format.open('turn'));
      const how = await tellAll(clock, { out, teller, format, until: 1e9 }, lines());
      const ended = teller.end(how);
      await clock.advance(0);
      await ended;
      return { how, text: out.text() };
    };
    const { how, text } = await told(ndjson);
    expect(how).toBe('left');
    expect(text.length).toBeLessThan(5_200_000);
    expect(text.trimEnd().split('\n').at(-1)).toBe('{"type":"bye","cursor":"1.50"}');
    expect((await told(ui)).how).toBe('ended');
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

  it('whose reads fail is left, not told that the turn is over', async () => {
    const desk = deskOf({ wordDelayMs: 1_000 });
    const turn = await desk.shop.ask('a b c d e f');
    const working = desk.shop.receive();
    await desk.shop.clock.advance(1_500);
    const got = await desk.call('GET', `/turns/${turn}/events`);
    const { get } = desk.deps.work.table;
    Object.assign(desk.deps.work.table, {
      get: () => Promise.reject(new Error('a secret of the store')),
    });
    await desk.shop.finish(got.over);
    Object.assign(desk.deps.work.table, { get });
    expect(got.text()).not.toContain('turn_status');
    expect(got.text()).not.toContain('secret');
    expect(desk.failures).toHaveLength(1);
    await desk.shop.finish(working);
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

it('three hundred follow one turn, and all of them end with its words', async () => {
  const desk = deskOf({ wordDelayMs: 100 });
  const turn = await desk.shop.ask('a b c d e f');
  const followers: Got[] = [];
  for (let n = 0; n < 300; n++) followers.push(await desk.call('GET', `/turns/${turn}/events`));
  const working = desk.shop.receive();
  await desk.shop.finish(Promise.all([working, ...followers.map(({ over }) => over)]));
  const whole = await desk.shop.text(turn);
  for (const follower of followers) {
    const words = follower.lines().flatMap(({ type, text }) => (type === 'text' ? [text] : []));
    expect([words.join(''), follower.lines().at(-1)?.status]).toEqual([whole, 'complete']);
  }
});

describe('a thousand followers that went away', () => {
  it('cost what the README says: few reads while nothing comes, and none after 55 s', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const said = Number(/at most (\d+) reads and 55 s/.exec(readme)![1]);
    const desk = deskOf({ wordDelayMs: 20_000 });
    const turn = await desk.shop.ask('a b c d e f');
    const working = desk.shop.receive();
    await desk.shop.clock.advance(500);
    let reads = 0;
    const { get, query } = desk.deps.work.table;
    Object.assign(desk.deps.work.table, {
      get: (key: Key) => {
        if (key.sk === 'HEAD') reads++;
        return get(key);
      },
      query: (range: Range) => {
        reads++;
        return query(range);
      },
    });
    const gone = Array.from({ length: 1_000 }, () => clientOf(desk.shop.clock));
    const followers: Got[] = [];
    for (const client of gone) followers.push(await desk.call('GET', `/turns/${turn}/events`, { client }));
    for (const client of gone) client.leave();
    await desk.shop.finish(Promise.all(followers.map(({ over }) => over)), 1_000);
    expect(reads / gone.length).toBeGreaterThan(50);
    expect(reads / gone.length).toBeLessThan(said);
    const after = reads;
    await desk.shop.clock.advance(20_000);
    expect(reads - after).toBeLessThan(100);
    await desk.shop.finish(working);
  });

  it('cost no more of a turn that streams', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const said = Number(/at most (\d+) reads and 55 s/.exec(readme)![1]);
    const { reads_abandoned_streaming: streaming } = await abandoned.measure();
    expect(streaming as number).toBeLessThan(said);
    expect(streaming as number).toBeGreaterThan(300);
  });
});
