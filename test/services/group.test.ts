import { expect, it } from 'vitest';
import { testSystem } from './system.ts';

const system = testSystem();

async function group() {
  const { person } = system();
  const [alice, bob] = [await person('alice'), await person('bob')];
  return { alice, bob, room: await alice.groupRoom([bob]) };
}

it('what is not meant for the bot is not answered, a mention is', async () => {
  const { inside } = system();
  const { alice, room } = await group();
  const chat = await alice.say(room, 'nice weather');
  expect(await inside.decided(room, chat)).toMatchObject({
    reason: 'ignored',
    roomKind: 'group',
    captured: true,
  });
  const asked = await alice.mention(room, 'agent: and tomorrow');
  const answer = await alice.hears(room, 'and tomorrow');
  expect(await inside.decided(room, asked)).toMatchObject({ reason: 'mentioned' });
  expect(answer.content['m.relates_to']).toEqual({ 'm.in_reply_to': { event_id: asked } });
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});

it('a quote of the bot is answered, a quote of somebody else is not', async () => {
  const { inside } = system();
  const { alice, bob, room } = await group();
  const asked = await alice.mention(room, 'agent: hello');
  const answer = await alice.hears(room, 'hello');
  const other = await bob.quote(room, asked, 'he is right');
  expect(await inside.decided(room, other)).toMatchObject({ reason: 'ignored' });
  const quote = await bob.quote(room, answer.event_id, 'are you sure');
  await alice.hears(room, 'are you sure');
  expect(await inside.decided(room, quote)).toMatchObject({ reason: 'reply-to-bot' });
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(2);
});

it('what follows in a thread the bot has answered in is answered there', async () => {
  const { inside } = system();
  const { alice, bob, room } = await group();
  const root = await alice.say(room, 'a thread of ours');
  const before = await bob.inThread(room, root, 'nobody was asked yet');
  expect(await inside.decided(room, before)).toMatchObject({ reason: 'ignored' });
  const relation = { rel_type: 'm.thread', event_id: root };
  await alice.mention(room, 'agent: come in', { 'm.relates_to': relation });
  await alice.hears(room, 'come in');
  const after = await bob.inThread(room, root, 'welcome');
  const answer = await alice.hears(room, 'welcome');
  expect(await inside.decided(room, after)).toMatchObject({ reason: 'active-thread', thread: root });
  expect(answer.content['m.relates_to']).toEqual({
    ...relation,
    is_falling_back: true,
    'm.in_reply_to': { event_id: after },
  });
});

it('a question is answered by a reaction of the person it is for', async () => {
  const { inside } = system();
  const { alice, bob, room } = await group();
  const asked = await alice.mention(room, 'agent: ask me first: it will rain');
  const question = await alice.hears(room, 'May I answer this');
  const stranger = await bob.react(room, question.event_id, '👎');
  expect(await inside.decided(room, stranger)).toMatchObject({ kind: 'other' });
  const yes = await alice.react(room, question.event_id, '👍🏽');
  expect(await inside.decided(room, yes)).toMatchObject({ kind: 'consent', choice: 'yes' });
  await alice.hears(room, 'You said yes. it will rain');
  expect(await inside.ended(room, asked)).toMatchObject({ status: 'complete' });
  expect(await alice.heard(room)).toHaveLength(2);
});

it('a question is answered by a quote-reply', async () => {
  const { inside } = system();
  const { alice, room } = await group();
  await alice.mention(room, 'agent: ask me first: it will rain');
  const question = await alice.hears(room, 'May I answer this');
  const no = await alice.quote(room, question.event_id, '> <@agent:localhost> May I answer this\n\nNo.');
  expect(await inside.decided(room, no)).toMatchObject({ kind: 'consent', choice: 'no' });
  await alice.hears(room, 'You said no');
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(2);
});
