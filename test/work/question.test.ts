/** A question and its answers: posted once, heard once, from one person, and a no when nobody answers. */
import { describe, expect, it } from 'vitest';
import { keys as gateKeys } from '../../functions/gate/keys.ts';
import { cancel } from '../../functions/turns/cancel.ts';
import { getConsent } from '../../functions/turns/consent.ts';
import { sweepTurns } from '../../functions/work/sweep.ts';
import { ANA, BEN, BOT, type Post } from './people.ts';
import { Shop } from './shop.ts';

const HOUR_MS = 3_600_000;

/** A turn that has asked, in a group if it is to be. */
async function asking(group = false) {
  const shop = new Shop();
  const room = group ? shop.group : shop.direct;
  const turn = await shop.ask('ask me first: paint it', { room });
  await shop.run();
  const [question] = shop.posts(room) as [Post];
  const react = (sender: string, key: string, target = question.id) => {
    const relation = { rel_type: 'm.annotation', event_id: target, key };
    return shop.push(room, shop.rooms.send(sender, room, 'm.reaction', { 'm.relates_to': relation }));
  };
  const quote = (sender: string, body: string) =>
    shop.push(
      room,
      shop.send(room, sender, body, { 'm.relates_to': { 'm.in_reply_to': { event_id: question.id } } }),
    );
  const sweep = () => shop.finish(sweepTurns(shop.work, shop.invocation()));
  const said = () => shop.bodies(room).slice(1);
  return { shop, room, turn, question, react, quote, sweep, said };
}

describe('a question', () => {
  it('is a message of its own, known as a question, and the turn waits', async () => {
    const { shop, turn, question } = await asking();
    const head = shop.head(turn);
    expect(question).toMatchObject({ part: `ask#${head.tail}`, msgtype: 'm.text', turn });
    expect(question.body).toContain('May I answer this: paint it');
    expect(shop.gate.get(gateKeys.own(shop.direct, question.id))).toMatchObject({ kind: 'question', turn });
    expect(head).toMatchObject({ status: 'waiting', phase: 'model', attempt: 1 });
    expect(head.dueAt! - shop.clock.now()).toBeGreaterThan(HOUR_MS - 60_000);
    expect(shop.queues.turns).toEqual([]);
  });

  it('is not posted again by whoever receives the turn', async () => {
    const { shop, turn, room } = await asking();
    shop.queues.send('turns', 'another', JSON.stringify({ v: 1, kind: 'turn', turn }));
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect(shop.posts(room)).toHaveLength(1);
  });

  it('that could not be posted is, by whoever comes next', async () => {
    const shop = new Shop();
    const turn = await shop.ask('ask me first: paint it');
    shop.before('append waiting', () => {
      shop.away = true;
    });
    expect(await shop.finish(shop.receive('turns', 100_000))).toEqual({ kind: 'again', seconds: 60 });
    expect(shop.head(turn).status).toBe('waiting');
    shop.away = false;
    await shop.clock.advance(60_000);
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect(shop.posts().map(({ part }) => part)).toEqual([`ask#${shop.head(turn).tail}`]);
  });

  it('that may have been posted is looked for first', async () => {
    const shop = new Shop();
    const turn = await shop.ask('ask me first: paint it');
    shop.loseAnswer('send');
    shop.before('messages', () => shop.rooms.forgetTransactions());
    await shop.run();
    expect([shop.posts().length, shop.head(turn).status]).toEqual([1, 'waiting']);
  });

  it('is quoted to in a group', async () => {
    const { question } = await asking(true);
    expect(question.content['m.relates_to']).toMatchObject({ 'm.in_reply_to': {} });
  });
});

describe('the answer', () => {
  it.each([
    ['👍', 'You said yes. paint it'],
    ['👎', 'You said no, so I leave it.'],
  ])('by reaction %s', async (key, words) => {
    const { shop, turn, react, said } = await asking();
    await react(ANA, key);
    await shop.run();
    expect(said()).toEqual([words]);
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
  });

  it.each([
    ['yes', 'You said yes. paint it'],
    ['No.', 'You said no, so I leave it.'],
  ])('by quote-reply %s', async (body, words) => {
    const { shop, quote, said } = await asking();
    await quote(ANA, body);
    await shop.run();
    expect(said()).toEqual([words]);
  });

  it('is that of the person it runs for, and nobody else’s', async () => {
    const { shop, turn, react, said } = await asking(true);
    await react(BEN, '👍');
    await shop.run();
    expect([said(), shop.head(turn).status]).toEqual([[], 'waiting']);
    await react(ANA, '👎');
    await shop.run();
    expect(said()).toEqual(['You said no, so I leave it.']);
  });

  it('is the first, and only what was offered', async () => {
    const { shop, turn, react, said } = await asking();
    const seq = shop.head(turn).tail;
    await react(ANA, '🎉');
    expect(await getConsent(shop.work.table, turn, seq)).toBeUndefined();
    await react(ANA, '👎');
    await react(ANA, '👍');
    expect(await getConsent(shop.work.table, turn, seq)).toMatchObject({ choice: 'no', by: ANA });
    await shop.run();
    expect(said()).toEqual(['You said no, so I leave it.']);
    await react(ANA, '✅');
    await shop.run();
    expect(said()).toHaveLength(1);
  });

  it('to something else is none', async () => {
    const { shop, turn, react } = await asking();
    await react(ANA, '👍', shop.rooms.timeline(shop.direct).find(({ sender }) => sender === ANA)!.id);
    await shop.run();
    expect(shop.head(turn).status).toBe('waiting');
  });

  it('is heard though the question’s echo came first, and the bot’s own reaction is none', async () => {
    const { shop, turn, react, said } = await asking();
    await shop.echo();
    await react(BOT, '👍');
    expect(shop.head(turn).status).toBe('waiting');
    await react(ANA, '👍');
    await shop.run();
    expect(said()).toEqual(['You said yes. paint it']);
  });
});

describe('nobody answers', () => {
  it('and after an hour the turn goes on with a no', async () => {
    const { shop, turn, sweep, said } = await asking();
    await shop.clock.advance(HOUR_MS - 60_000);
    await sweep();
    await shop.run();
    expect(shop.head(turn).status).toBe('waiting');
    await shop.clock.advance(120_000);
    await sweep();
    expect(await getConsent(shop.work.table, turn, shop.head(turn).tail)).toMatchObject({
      by: 'sweep',
      choice: 'no',
    });
    await shop.run();
    expect(said()).toEqual(['You said no, so I leave it.']);
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
  });

  it('or the message of the answer was lost: it is sent again, with the answer that stands', async () => {
    const { shop, turn, react, sweep, said } = await asking();
    await react(ANA, '👍');
    shop.queues.turns.length = 0;
    await shop.clock.advance(HOUR_MS + 60_000);
    await sweep();
    expect(shop.head(turn).dueAt).toBe(shop.clock.now() + 600_000);
    shop.queues.turns.length = 0;
    await sweep();
    expect(shop.queues.turns).toEqual([]);
    await shop.clock.advance(601_000);
    await sweep();
    await shop.run();
    expect(said()).toEqual(['You said yes. paint it']);
  });

  it('for the turn was stopped: an answer then changes nothing', async () => {
    const { shop, turn, react, said } = await asking();
    await cancel(shop.work, turn, 'stopped');
    await react(ANA, '👍');
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'stopped' });
    expect(said()).toEqual([]);
  });
});

describe('the conversation', () => {
  it('does not wait for the answer: its next message is a turn beside it', async () => {
    const { shop, react, said } = await asking();
    await shop.ask('hello');
    await shop.run();
    expect(said()).toEqual(['ana said: hello']);
    await react(ANA, '👍');
    await shop.run();
    expect(said()).toEqual(['ana said: hello', 'You said yes. paint it']);
  });
});
