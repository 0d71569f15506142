/** A reaction or quote-reply to a question of ours is the answer that a waiting turn waits for. */
import { describe, expect, it } from 'vitest';
import { type Own, putOwn } from '../../functions/gate/own.ts';
import type { Choice } from '../../functions/inbox/ports.ts';
import { takeEvents } from '../../functions/inbox/transaction.ts';
import { orderOf } from '../../functions/turns/ids.ts';
import { roomOf, unreachable } from '../gate/homeserver.ts';
import { event, quoting, START, said } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

/** A turn of Ana's that waits with the question `$ask`, as long as it is `open`. */
async function inbox(choices: readonly Choice[] = ['yes', 'no']) {
  const made = inboxOf();
  made.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs']));
  const own = (id: string, kind: Own['kind']) =>
    putOwn(made.parts.tables.gate, ROOM, id, { turn: 'turn', part: 'ask#7', kind, at: START });
  await own('$ask', 'question');
  await own('$answer', 'answer');
  const consents: unknown[] = [];
  const state = { open: true };
  const question = { conversation: 'talk', seq: 7, sender: '@ana:hs', choices };
  const turns = {
    ...made.deps.turns,
    question: async () => (state.open ? question : undefined),
    consent: async (...given: unknown[]) => void consents.push(given),
  };
  const push = (...events: unknown[]) => takeEvents({ ...made.deps, turns }, events, orderOf);
  return { ...made, push, consents, state };
}
const reaction = (id: string, key: string, target = '$ask', sender = '@ana:hs') =>
  event(id, 'm.reaction', {
    sender,
    content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: target, key } },
  });
const reply = (id: string, body: string) => said(id, { content: { body, ...quoting('$ask') } });

describe('a consent', () => {
  it.each([
    ['a reaction', reaction('$e', '👍'), 'yes'],
    ['a reaction', reaction('$e', '👎'), 'no'],
    ['a quote-reply', reply('$e', 'Yes.'), 'yes'],
  ])('is %s to the question', async (_, raw, choice) => {
    const made = await inbox();
    await made.push(raw);
    expect(made.consents).toEqual([['turn', 7, '@ana:hs', choice]]);
    expect(made.sent).toEqual([
      { kind: 'turn', id: 'turn', detail: { conversation: 'talk', deduplication: 'turn.consent.7' } },
    ]);
    expect(await made.record('$e')).toMatchObject({ decided: { kind: 'consent' }, finished: true });
    expect(await made.buffer()).toEqual([]);
  });

  it('is given once, however often its event comes', async () => {
    const made = await inbox();
    await made.push(reaction('$e', '👍'));
    await made.push(reaction('$e', '👍'));
    expect(made.consents).toHaveLength(1);
  });

  it('needs no room that can be read', async () => {
    const made = await inbox();
    made.server.before = () => {
      throw unreachable();
    };
    await made.push(reaction('$e', '👍'));
    expect(made.consents).toHaveLength(1);
  });
});

describe('no consent', () => {
  it.each([
    ['of somebody else', reaction('$e', '👍', '$ask', '@ben:hs')],
    ['of no choice', reaction('$e', '🎉')],
    ['to an answer of ours', reaction('$e', '👍', '$answer')],
    ['to what is not ours', reaction('$e', '👍', '$other')],
  ])('is a reaction %s', async (_, raw) => {
    const made = await inbox();
    await made.push(raw);
    expect([made.consents, made.sent]).toEqual([[], []]);
    expect((await made.record('$e')).decided).toMatchObject({ kind: 'other', reason: 'reaction' });
  });

  it('is what was not offered', async () => {
    const made = await inbox(['yes']);
    await made.push(reaction('$e', '👎'));
    expect(made.consents).toEqual([]);
  });

  it('comes when nobody waits any more; a reply is then what it is', async () => {
    const made = await inbox();
    made.state.open = false;
    await made.push(reaction('$r', '👍'), reply('$e', 'yes'));
    expect(made.consents).toEqual([]);
    expect((await made.record('$e')).decided?.reason).toBe('reply-to-bot');
  });

  it('is a reply of other words: it is answered like any other', async () => {
    const made = await inbox();
    await made.push(reply('$e', 'yes, but why?'));
    expect(made.consents).toEqual([]);
    expect((await made.record('$e')).decided?.reason).toBe('reply-to-bot');
  });
});
