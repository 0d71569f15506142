/** State events: what they make stale, and what takes effect at once. */
import { describe, expect, it } from 'vitest';
import { hasLeft } from '../../functions/gate/picture.ts';
import { roomOf, unreachable } from '../gate/homeserver.ts';
import { asked, member, START, said, stateOf } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

/** A group whose picture is known. */
async function inbox() {
  const made = inboxOf();
  made.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs']));
  await made.push(said('$first'));
  made.server.calls.splice(0);
  const reads = async () => {
    await made.push(said(`$look${made.counted.get('Refused')}`));
    return made.server.calls.splice(0).includes('joined');
  };
  return { ...made, reads, reason: async (id: string) => (await made.record(id)).decided?.reason };
}

describe('a state event', () => {
  it.each([
    'm.room.create',
    'm.room.power_levels',
    'm.room.canonical_alias',
    'm.room.encryption',
    'm.room.tombstone',
    'io.element.functional_members',
  ])('makes the picture stale with an empty state key only: %s', async (type) => {
    const { push, reads } = await inbox();
    await push(stateOf('$odd', type, { state_key: 'x' }));
    expect(await reads()).toBe(false);
    await push(stateOf('$e', type));
    expect(await reads()).toBe(true);
    expect(await reads()).toBe(false);
  });

  it('of a member counts with a user id only', async () => {
    const { push, reads } = await inbox();
    await push(member('$odd', 'ben', 'join'), member('$none', '', 'join'));
    expect(await reads()).toBe(false);
    await push(member('$e', '@ben:hs', 'leave'));
    expect(await reads()).toBe(true);
  });

  it('of another type says nothing', async () => {
    const { push, reads } = await inbox();
    await push(stateOf('$a', 'm.room.topic'), stateOf('$b', 'm.room.message', { content: { body: 'x' } }));
    expect(await reads()).toBe(false);
  });

  it('never edits the picture: an old one pushed late changes nothing but that it is read again', async () => {
    const { push, server, reason } = await inbox();
    server.rooms.get(ROOM)!.state['m.room.power_levels'] = { users: { [BOT]: 50 }, events_default: 50 };
    await push(stateOf('$old', 'm.room.power_levels', { content: { events_default: 100 } }), asked('$e'));
    expect(await reason('$e')).toBe('mentioned');
  });

  it('is seen by the next message of the same transaction', async () => {
    const { push, server, reason } = await inbox();
    const room = server.rooms.get(ROOM)!;
    server.before = (call) => {
      if (call === 'member @ben:hs') room.joined = [BOT, '@ana:hs'];
    };
    await push(said('$a', { sender: '@ben:hs' }), member('$left', '@ben:hs', 'leave'), said('$b'));
    expect([await reason('$a'), await reason('$b')]).toEqual(['ignored', 'dm']);
  });

  it('keeps no record and is never gated', async () => {
    const made = await inbox();
    await made.push(member('$e', '@ben:hs', 'join'));
    expect(await made.record('$e')).toMatchObject({ finished: false });
    expect((await made.record('$e')).decided).toBeUndefined();
  });
});

describe('at once', () => {
  it.each([
    ['its leaving', 'leave', BOT],
    ['a kick', 'leave', '@ana:hs'],
    ['a ban', 'ban', '@ana:hs'],
  ])(
    'the bot is out: by %s, also for the next message of the same transaction',
    async (_, membership, sender) => {
      const { push, reason, server, parts, sent } = await inbox();
      // The homeserver does not say so: what it pushed decides.
      server.before = () => {
        throw unreachable();
      };
      await push(said('$a'), member('$out', BOT, membership, { sender }), asked('$b'));
      expect([await reason('$a'), await reason('$b')]).toEqual(['ignored', 'not-in-room']);
      expect(await hasLeft(parts.tables.gate, ROOM)).toBe(true);
      expect(sent).toEqual([]);
      server.before = () => undefined;
      await push(member('$in', BOT, 'join'), asked('$c'));
      expect(await reason('$c')).toBe('mentioned');
    },
  );

  it('somebody else’s leaving puts nobody out', async () => {
    const { push, reason } = await inbox();
    await push(member('$out', '@ben:hs', 'ban'), asked('$b'));
    expect(await reason('$b')).toBe('mentioned');
  });

  it('encryption is seen, and stays', async () => {
    const { push, reason, server } = await inbox();
    const levels = { events: { 'm.room.encrypted': 1 } };
    server.rooms.get(ROOM)!.state['m.room.power_levels'] = levels;
    await push(stateOf('$enc', 'm.room.encryption', { content: { algorithm: 'm.megolm.v1.aes-sha2' } }));
    await push(asked('$a'));
    await push(stateOf('$pl', 'm.room.power_levels'), asked('$b'));
    expect([await reason('$a'), await reason('$b')]).toEqual(['power-level', 'power-level']);
  });
});

describe('an invite of the bot', () => {
  it('asks a worker to join, if the inviter may invite', async () => {
    const { push, sent, counted } = await inbox();
    const invite = (id: string, sender: string) =>
      member(id, BOT, 'invite', { sender, room_id: '!new:hs', origin_server_ts: START - 5 });
    await push(invite('$stranger', '@ana:elsewhere'));
    expect([sent, counted.get('InvitesRefused')]).toEqual([[], 1]);
    await push(invite('$e', '@ana:hs'));
    const join = { room: '!new:hs', event: '$e', by: '@ana:hs', since: START - 5 };
    expect(sent).toEqual([{ kind: 'join', id: '!new:hs', detail: join }]);
  });
});

it('a tombstone asks a worker to follow', async () => {
  const { push, sent } = await inbox();
  await push(stateOf('$e', 'm.room.tombstone', { content: { replacement_room: '!next:hs' } }));
  const join = { room: '!next:hs', event: '$e', by: '@ana:hs', since: START, predecessor: ROOM };
  expect(sent).toEqual([{ kind: 'join', id: '!next:hs', detail: join }]);
});
