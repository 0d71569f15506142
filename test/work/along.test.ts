/** Taking along: what the same sender has waiting right behind a turn is answered with it, once. */
import { describe, expect, it } from 'vitest';
import { unfinishedAfter } from '../../functions/turns/conversation.ts';
import { keys } from '../../functions/turns/keys.ts';
import { getMeta, type Meta } from '../../functions/turns/meta.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { closeForeign } from '../../functions/turns/takeover.ts';
import { gather } from '../../functions/work/along.ts';
import { ANA, BEN } from './people.ts';
import { Shop } from './shop.ts';

const inThread = (root: string) => ({ 'm.relates_to': { rel_type: 'm.thread', event_id: root } });

async function asked(shop: Shop, ...bodies: string[]): Promise<string[]> {
  const turns: string[] = [];
  for (const body of bodies) turns.push(await shop.ask(body));
  return turns;
}
const startOf = async (shop: Shop, turn: string) => (await shop.events(turn))[0];

describe('three quick lines', () => {
  it('get one answer; the others end as merged into it', async () => {
    const shop = new Shop();
    const turns = await asked(shop, 'one', 'two', 'three');
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: one\ntwo\nthree']);
    expect(await startOf(shop, turns[0]!)).toEqual({ type: 'start', messages: turns });
    for (const turn of turns.slice(1)) {
      expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'merged' });
      expect((await shop.events(turn)).at(-1)).toMatchObject({ into: turns[0] });
    }
    const meta = (await getMeta(shop.work.table, turns[0]!))!;
    expect(await unfinishedAfter(shop.work.table, '', { ...meta, order: '0' }, 9)).toEqual([]);
  });

  it('are replied to at the last of them', async () => {
    const shop = new Shop();
    const more = { room: shop.group };
    for (const body of ['one', 'two']) await shop.ask(body, more);
    await shop.run();
    const last = shop.rooms.timeline(shop.group).find(({ content }) => content.body === 'two')!;
    expect(shop.posts(shop.group)).toMatchObject([
      { content: { 'm.relates_to': { 'm.in_reply_to': { event_id: last.id } } } },
    ]);
  });

  it('that come once the turn has started are the next one', async () => {
    const shop = new Shop({ wordDelayMs: 500 });
    const first = await shop.ask('one');
    const working = shop.receive();
    await shop.clock.advance(800);
    const second = await shop.ask('two');
    await shop.finish(working);
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: one', 'ana said (2 earlier messages): two']);
    expect(await startOf(shop, first)).toEqual({ type: 'start', messages: [first] });
    expect(shop.head(second).status).toBe('complete');
  });
});

describe('what is taken along', () => {
  it('is twenty messages at most', async () => {
    const shop = new Shop();
    const [first] = await asked(shop, ...Array.from({ length: 20 }, (_, n) => `m${n}`));
    expect(shop.counted.get('Accepted')).toBe(20);
    // The twenty-first, past the gate's own limit.
    const meta = (await getMeta(shop.work.table, first!))!;
    const order = `${Number(meta.order.slice(0, 13)) + 1_000}000`;
    await createQueued(shop.work.table, 'the-twenty-first'.padEnd(22, 'x'), { ...meta, order });
    await shop.finish(shop.receive());
    const start = await startOf(shop, first!);
    expect(start).toMatchObject({ messages: expect.objectContaining({ length: 20 }) });
  });

  it('is 60,000 characters at most, and the first whatever its length', async () => {
    const shop = new Shop();
    const turns = await asked(shop, 'x'.repeat(30_000), 'y'.repeat(30_000), 'z');
    const long = new Shop();
    const more = await asked(long, 'x'.repeat(60_001), 'y');
    const list = async (of: Shop, turn: string) =>
      gather(of.work, turn, (await getMeta(of.work.table, turn))!);
    expect(await list(shop, turns[0]!)).toEqual(turns.slice(0, 2));
    expect(await list(long, more[0]!)).toEqual(more.slice(0, 1));
  });

  it('is of one sender: another’s message between ends it', async () => {
    const shop = new Shop();
    const root = shop.send(shop.group, BEN, 'a thread');
    await shop.push(shop.group, root);
    const say = (body: string, sender = ANA) =>
      shop.ask(body, { room: shop.group, sender, more: inThread(root) });
    const turns = [await say('one'), await say('two'), await say('three', BEN), await say('four')];
    await shop.run();
    expect(shop.bodies(shop.group).map((body) => body.replace(/ \(.*\)/, ''))).toEqual([
      'ana said: one\ntwo',
      'ben said: three',
      'ana said: four',
    ]);
    expect(turns.map((turn) => shop.head(turn).reason)).toEqual([undefined, 'merged', undefined, undefined]);
  });

  it('is of Matrix: a turn over HTTP is neither taken nor takes', async () => {
    const shop = new Shop();
    const [first] = await asked(shop, 'one');
    const meta = (await getMeta(shop.work.table, first!))!;
    const http: Meta = { ...meta, source: { kind: 'http' }, order: `${meta.order}5` };
    await createQueued(shop.work.table, 'http-turn'.padEnd(22, 'x'), http);
    expect(await gather(shop.work, first!, meta)).toEqual([first]);
    expect(await gather(shop.work, 'http-turn'.padEnd(22, 'x'), { ...http, order: '0' })).toHaveLength(1);
  });

  it('skips what is over, and takes its row away', async () => {
    const shop = new Shop();
    const turns = await asked(shop, 'one', 'two', 'three');
    const [first, second, third] = turns as [string, string, string];
    const meta = (await getMeta(shop.work.table, first))!;
    const its = (await getMeta(shop.work.table, second))!;
    await closeForeign(shop.work, second, shop.head(second), { status: 'cancelled', reason: 'stopped' });
    const row = keys.unfinished(its.conversation, its.order, second);
    shop.turns.put({ op: 'left behind', row: { ...row, turn: second } });
    expect(await gather(shop.work, first, meta)).toEqual([first, third]);
    expect(shop.turns.get(row)).toBeUndefined();
  });
});

describe('a turn taken along that somebody else ends first', () => {
  const between = async (end: (shop: Shop, second: string) => Promise<void>) => {
    const shop = new Shop();
    const turns = await asked(shop, 'one', 'two');
    shop.before('close foreign', () => end(shop, turns[1]!));
    await shop.run();
    return { shop, turns };
  };

  it('by a redaction is left out', async () => {
    const { shop } = await between(async (shop) => {
      const event = shop.rooms.timeline(shop.direct).findLast(({ content }) => content.body === 'two')!.id;
      await shop.push(shop.direct, shop.rooms.redact(ANA, shop.direct, event));
    });
    expect(shop.bodies()).toEqual(['ana said: one']);
  });

  it('by anything else is left out too', async () => {
    const { shop, turns } = await between(async (shop, second) => {
      await closeForeign(shop.work, second, shop.head(second), { status: 'error', reason: 'dead_letter' });
    });
    expect(shop.head(turns[1]!)).toMatchObject({ status: 'error', reason: 'dead_letter' });
    expect(
      shop
        .posts()
        .filter(({ part }) => part !== 'note#0')
        .map(({ body }) => body),
    ).toEqual(['ana said: one']);
  });

  it('with every message redacted there is nothing left to answer', async () => {
    const shop = new Shop();
    const turns = await asked(shop, 'one', 'two');
    shop.before('append plain', async () => {
      for (const { id, content } of shop.rooms.timeline(shop.direct))
        if (content.body === 'one' || content.body === 'two')
          await shop.push(shop.direct, shop.rooms.redact(ANA, shop.direct, id));
    });
    await shop.run();
    expect(shop.posts()).toEqual([]);
    expect(shop.head(turns[0]!)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
  });
});
