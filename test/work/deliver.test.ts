/** An answer on its way into the room: its parts, in order and once each, whatever the homeserver does. */
import { describe, expect, it } from 'vitest';
import { keys as gateKeys } from '../../functions/gate/keys.ts';
import { history } from '../../functions/turns/conversation.ts';
import { keys } from '../../functions/turns/keys.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { tableOver } from '../fakes/table.ts';
import { ANA, BEN, BOT } from './people.ts';
import { Shop } from './shop.ts';

/** Whoever calls never hears of it again. */
const never = () => new Promise<void>(() => undefined);
const answers = (shop: Shop, room = shop.direct) =>
  shop.posts(room).filter(({ part }) => !/^(note|ask|draft)#/.test(part));

describe('an answer', () => {
  it('is fixed in parts before the first is sent, and these carry turn and part', async () => {
    const shop = new Shop();
    const turn = await shop.ask('write 100 KB');
    await shop.run();
    const posts = answers(shop);
    expect(posts.length).toBeGreaterThanOrEqual(3);
    const [set] = posts[0]!.part.split('#');
    expect(posts.map(({ turn, part }) => [turn, part])).toEqual(posts.map((_, n) => [turn, `${set}#${n}`]));
    const names = shop.calls.map(({ name }) => name);
    expect(names.indexOf('parts')).toBeLessThan(names.indexOf('send'));
    for (const { content } of posts) expect(Buffer.byteLength(JSON.stringify(content))).toBeLessThan(40_000);
  });

  it('is known as ours, and its first part sets the pace', async () => {
    const shop = new Shop();
    const turn = await shop.ask('write 50 KB');
    await shop.run();
    for (const { id, part } of answers(shop))
      expect(shop.gate.get(gateKeys.own(shop.direct, id))).toMatchObject({ turn, part, kind: 'answer' });
    const pace = shop.gate.get(gateKeys.pace(shop.direct));
    expect(pace).toBeDefined();
    expect(JSON.stringify(pace)).toContain(String(shop.clock.now()).slice(0, 6));
  });

  it('larger than any row is delivered whole, and the turn is complete', async () => {
    const shop = new Shop();
    const turn = await shop.ask('write 450 KB');
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
    const words = answers(shop).reduce((sum, { body }) => sum + body.length, 0);
    expect(words).toBeGreaterThan(440_000);
    const done = (await shop.events(turn)).find(({ type }) => type === 'done');
    expect(done).toMatchObject({ cut: true, message: { role: 'assistant' } });
    expect(JSON.parse(shop.turns.get(keys.final(turn, 1))!.m as string)).toEqual(
      (done as { message: unknown }).message,
    );
  });

  it('stands plainly in a direct room', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    await shop.run();
    expect(answers(shop)[0]!.content).not.toHaveProperty('m.relates_to');
    expect(answers(shop)[0]!.content['m.mentions']).toEqual({});
  });

  it('is a quote-reply in a group, and names nobody unless it is to', async () => {
    for (const mentionAsker of [false, true]) {
      const shop = new Shop({ work: { mentionAsker } });
      await shop.ask('write 50 KB', { room: shop.group, sender: BEN });
      const asked = shop.rooms.timeline(shop.group).at(-1)!.id;
      await shop.run();
      const posts = answers(shop, shop.group);
      for (const { content } of posts)
        expect(content['m.relates_to']).toEqual({ 'm.in_reply_to': { event_id: asked } });
      const mentions = posts.map(({ content }) => content['m.mentions']);
      expect(mentions[0]).toEqual(mentionAsker ? { user_ids: [BEN] } : {});
      for (const later of mentions.slice(1)) expect(later).toEqual({});
    }
  });

  it('stays in the thread it was asked in, with the fallback', async () => {
    const shop = new Shop();
    const root = shop.send(shop.group, BEN, 'a thread');
    await shop.push(shop.group, root);
    const more = { 'm.relates_to': { rel_type: 'm.thread', event_id: root } };
    await shop.ask('hello', { room: shop.group, more });
    const asked = shop.rooms.timeline(shop.group).at(-1)!.id;
    await shop.run();
    expect(answers(shop, shop.group)[0]!.content['m.relates_to']).toEqual({
      rel_type: 'm.thread',
      event_id: root,
      is_falling_back: true,
      'm.in_reply_to': { event_id: asked },
    });
  });

  it('is kept in the conversation’s history with what was asked, only if it is complete', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    await shop.run();
    const failed = await shop.ask('fail');
    await shop.run();
    expect(shop.head(failed).status).toBe('error');
    const meta = (await getMeta(tableOver(shop.turns), turn))!;
    const said = await history(tableOver(shop.turns), meta.conversation, 9);
    expect(said.map(({ role, text, name }) => [role, text, name])).toEqual([
      ['user', 'hello', 'ana'],
      ['assistant', 'ana said: hello', undefined],
    ]);
  });
});

describe('a part', () => {
  it('whose answer was lost is found by a look, and not sent again though its id is forgotten', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    shop.loseAnswer('send');
    shop.before('messages', () => shop.rooms.forgetTransactions());
    await shop.run();
    expect(shop.called('messages')).toHaveLength(1);
    expect(answers(shop)).toHaveLength(1);
  });

  it('that never arrived is sent after a look', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    shop.refuse('send', 502, { times: 2 });
    await shop.run();
    expect(shop.called('messages')).toHaveLength(2);
    expect([answers(shop).length, shop.head(turn).status]).toEqual([1, 'complete']);
  });

  it('is sent without a look by the invocation that wrote *into delivering*', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    await shop.run();
    expect(shop.called('messages')).toEqual([]);
  });

  it('whose look is older than 8 s looks again', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    shop.refuse('send', 502);
    shop.before('messages', () => shop.clock.sleep(9_000));
    await shop.run();
    expect(shop.called('messages')).toHaveLength(2);
    expect(answers(shop)).toHaveLength(1);
  });

  it('whose request leaves too long after its look is held, and looks again', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    shop.refuse('send', 502);
    shop.before('messages', () => shop.before('send', () => shop.clock.sleep(9_000)));
    await shop.run();
    expect(shop.called('messages')).toHaveLength(2);
    expect([answers(shop).length, shop.head(turn).status]).toEqual([1, 'complete']);
  });

  it('waits as long as the homeserver asks, and needs no look behind that', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    shop.refuse('send', 429, { retryAfterMs: 7_000 });
    const begun = shop.clock.monotonic();
    await shop.run();
    expect(shop.called('send')[0]! - begun).toBeGreaterThanOrEqual(7_000);
    expect([shop.called('messages'), answers(shop).length]).toEqual([[], 1]);
  });

  it('known by its echo is not sent again', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    const first = shop.receive();
    shop.before('part sent', never);
    await shop.clock.advance(500);
    expect(answers(shop)).toHaveLength(1);
    await shop.echo();
    shop.rooms.forgetTransactions();
    shop.before('beat', never);
    await shop.clock.advance(14_000);
    shop.queues.send('turns', 'another', JSON.stringify({ v: 1, kind: 'turn', turn }));
    await shop.finish(shop.receive());
    expect([answers(shop).length, shop.called('messages').length]).toEqual([1, 0]);
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 2 });
    first.catch(() => undefined);
  });

  it.each([
    [403, 'M_FORBIDDEN', 'cancelled', 'not-in-room'],
    [413, 'M_TOO_LARGE', 'error', 'm_too_large'],
    [404, 'M_NOT_FOUND', 'error', 'm_not_found'],
  ] as const)('refused with %i %s ends the turn as %s, %s', async (status, errcode, ends, reason) => {
    const shop = new Shop();
    const turn = await shop.ask('write 100 KB');
    shop.before('send', () => undefined);
    shop.refuse('send', status, { errcode });
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: ends, reason });
    expect(answers(shop)).toHaveLength(1);
    const notes = shop.posts().filter(({ part }) => part === 'note#0');
    expect(notes).toHaveLength(ends === 'error' ? 1 : 0);
  });

  it('refused with 401 waits for another token', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    shop.refuse('send', 401, { times: 3, errcode: 'M_UNKNOWN_TOKEN' });
    await shop.run();
    expect([shop.head(turn).status, answers(shop).length]).toEqual(['complete', 1]);
  });
});

describe('a room the bot has left', () => {
  it('is told nothing: the turn ends before it starts', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello', { room: shop.group });
    shop.rooms.kick(ANA, shop.group, BOT);
    await shop.push(shop.group, shop.rooms.timeline(shop.group).at(-1)!.id);
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'not-in-room' });
    expect((await shop.events(turn)).map(({ type }) => type)).toEqual(['turn_status']);
  });

  it('while the agent spoke is told nothing: the turn ends before its delivery', async () => {
    const shop = new Shop();
    const turn = await shop.ask('count to 5', { room: shop.group });
    const working = shop.receive();
    await shop.clock.advance(2_000);
    shop.rooms.kick(ANA, shop.group, BOT);
    await shop.push(shop.group, shop.rooms.timeline(shop.group).at(-1)!.id);
    expect(await shop.finish(working)).toEqual({ kind: 'done' });
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'not-in-room', phase: 'model' });
    expect(shop.posts(shop.group)).toEqual([]);
  });
});
