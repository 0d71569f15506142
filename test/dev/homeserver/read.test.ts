import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../../bin/dev/homeserver/world/event.ts';
import { alice, bob, bot, faultOf, roomOf, say, smallWorld } from './small-world.ts';

const bodies = (events: readonly StoredEvent[]) => events.map(({ content }) => content.body);
const onlyMessages = { types: ['m.room.message'] };

describe('messages', () => {
  it('are read backwards page by page, each once, until an empty page without an end', () => {
    const { world } = smallWorld();
    const room = roomOf(world);
    for (let n = 0; n < 25; n++) say(world, alice, room, `${n}`);
    const read: StoredEvent[] = [];
    let from: string | undefined;
    for (let pages = 1; pages < 50; pages++) {
      const page = world.messages(alice, room, { dir: 'b', limit: 7, from });
      read.push(...page.chunk);
      if (page.end === undefined) {
        expect(page.chunk).toEqual([]);
        expect(pages).toBe(Math.ceil(read.length / 7) + 1);
        break;
      }
      say(world, alice, room, 'later');
      from = page.end;
    }
    expect(read.map(({ id }) => id)).toEqual(
      world
        .timeline(room)
        .slice(0, read.length)
        .map(({ id }) => id)
        .reverse(),
    );
  });

  it('are read forwards, up to a token, and by what a filter lets through', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    for (const [user, body] of [
      [alice, '1'],
      [bob, '2'],
      [alice, '3'],
      [bob, '4'],
    ] as const)
      say(world, user, room, body);
    const page = (filter: object, limit = 10) => world.messages(alice, room, { dir: 'f', limit, filter });
    expect(bodies(page(onlyMessages).chunk)).toEqual(['1', '2', '3', '4']);
    expect(bodies(page({ ...onlyMessages, senders: [bob] }).chunk)).toEqual(['2', '4']);
    expect(bodies(page({ types: ['m.room.mess*'], not_senders: [bob] }).chunk)).toEqual(['1', '3']);
    expect(bodies(page({ not_types: ['m.room.*'] }).chunk)).toEqual([]);
    const middle = page(onlyMessages, 2);
    const rest = world.messages(alice, room, { dir: 'f', from: middle.end, filter: onlyMessages });
    expect(bodies(rest.chunk)).toEqual(['3', '4']);
    const back = world.messages(alice, room, { dir: 'b', to: middle.end, filter: onlyMessages });
    expect(bodies(back.chunk)).toEqual(['4', '3']);
    expect(faultOf(() => world.messages(alice, room, { dir: 'b', from: 'zz' })).status).toBe(400);
  });

  it('from before one joined are seen after, those after one left are not', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice);
    say(world, alice, room, 'before');
    world.invite(alice, room, bot);
    expect(faultOf(() => world.messages(bot, room, { dir: 'b' })).error).toContain(
      'room previews are disabled',
    );
    world.join(bot, room);
    say(world, alice, room, 'during');
    world.kick(alice, room, bot);
    const after = say(world, alice, room, 'after');
    const seen = world.messages(bot, room, { dir: 'b', filter: onlyMessages });
    expect(bodies(seen.chunk)).toEqual(['during', 'before']);
    expect(faultOf(() => world.event(bot, room, after))).toMatchObject({
      status: 404,
      errcode: 'M_NOT_FOUND',
    });
  });
});

describe('a room', () => {
  it('is hidden from those who were never in it, only invited, or banned', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { preset: 'public_chat' });
    const hidden = (user: string) => {
      for (const read of [
        () => world.state(user, room),
        () => world.members(user, room),
        () => world.joinedMembers(user, room),
        () => world.messages(user, room, { dir: 'b' }),
        () => world.stateEvent(user, room, 'm.room.create'),
      ])
        expect(faultOf(read)).toMatchObject({ status: 403, errcode: 'M_FORBIDDEN' });
      expect(faultOf(() => world.event(user, room, world.timeline(room)[0]!.id)).status).toBe(404);
    };
    hidden(bob);
    world.invite(alice, room, bob);
    hidden(bob);
    world.leave(bob, room);
    hidden(bob);
    world.join(bob, room);
    world.ban(alice, room, bob);
    hidden(bob);
    expect(faultOf(() => world.state(alice, '!nowhere')).status).toBe(403);
  });

  it('stays as it was for one who left', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    world.setState(alice, room, 'm.room.topic', '', { topic: 'old' });
    world.leave(bob, room);
    world.setState(alice, room, 'm.room.topic', '', { topic: 'new' });
    expect(world.stateEvent(bob, room, 'm.room.topic').content.topic).toBe('old');
    expect(faultOf(() => world.joinedMembers(bob, room)).status).toBe(403);
  });

  it('has members by membership', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    world.invite(alice, room, bot);
    const users = (wanted?: Parameters<typeof world.members>[2]) =>
      world.members(alice, room, wanted).map(({ stateKey }) => stateKey);
    expect(users()).toEqual([alice, bob, bot]);
    expect(users({ membership: 'invite' })).toEqual([bot]);
    expect(users({ not_membership: 'join' })).toEqual([bot]);
    expect(world.joinedMembers(alice, room)).toEqual({
      [alice]: { display_name: 'alice', avatar_url: null },
      [bob]: { display_name: 'bob', avatar_url: null },
    });
    expect(faultOf(() => world.stateEvent(alice, room, 'm.room.name'))).toMatchObject({
      status: 404,
      errcode: 'M_NOT_FOUND',
    });
  });
});
