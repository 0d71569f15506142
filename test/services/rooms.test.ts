import { expect, it } from 'vitest';
import { testSystem } from './system.ts';
import { until } from './until.ts';

const system = testSystem({ MATRIX_ALLOWED_INVITERS: '@*:elsewhere.example @friend*:localhost' });

it('an invite is accepted from whom the policy names, and from nobody else', async () => {
  const { bot, inside, person } = system();
  const [stranger, friend] = [await person('stranger'), await person('friend')];
  const refused = await stranger.createRoom();
  // Synapse tells of events in their order.
  const accepted = await friend.directRoom();
  await inside.idle();
  expect(await stranger.membership(refused, bot)).toBe('invite');
  expect(await friend.membership(accepted, bot)).toBe('join');
});

it('a kick ends what the bot was doing, and it stays away', async () => {
  const { bot, inside, person, toHomeserver } = system();
  const friend = await person('friend');
  const room = await friend.directRoom();
  const joins: string[] = [];
  toHomeserver.rule(({ path, forward }) => {
    if (path.includes('/join/')) joins.push(path);
    return forward();
  });
  const asked = await friend.say(room, 'count to 3');
  await until('the turn to run', async () => (await inside.head(room, asked))?.status === 'running');
  await friend.kick(room, bot);
  expect(await inside.ended(room, asked)).toMatchObject({ status: 'cancelled', reason: 'not-in-room' });
  const other = await friend.directRoom();
  await friend.say(other, 'are you there');
  await friend.hears(other, 'are you there');
  await inside.idle();
  expect(joins.map(decodeURIComponent).filter((path) => path.includes(room))).toEqual([]);
  expect(await friend.membership(room, bot)).toBe('leave');
  expect(await friend.heard(room)).toEqual([]);
});

it('an upgraded room is followed, with its memory', async () => {
  const { inside, person } = system();
  const [friend, bob] = [await person('friend'), await person('bob')];
  const old = await friend.groupRoom([bob], { preset: 'public_chat', version: '11' });
  const said = await bob.say(old, 'the wombat is called Walter');
  expect(await inside.decided(old, said)).toMatchObject({ reason: 'ignored', captured: true });
  const room = await friend.upgrade(old, '12');
  await friend.botJoined(room);
  await bob.join(room);
  await friend.mention(room, 'agent: what did we say about wombat');
  await friend.hears(room, 'We said: “the wombat is called Walter”');
});
