import { describe, expect, it } from 'vitest';
import { seed } from '../../../bin/dev/homeserver/seed.ts';
import type { StoredEvent } from '../../../bin/dev/homeserver/world/event.ts';
import { createWorld } from '../../../bin/dev/homeserver/world.ts';
import {
  alice,
  bob,
  bot,
  faultOf,
  populate,
  registration,
  roomOf,
  say,
  serverName,
  smallWorld,
} from './small-world.ts';
import { seededRandom, virtualClock } from './virtual-clock.ts';

const emptyWorld = (more: Partial<Parameters<typeof createWorld>[0]> = {}) =>
  createWorld({ serverName, registration, clock: virtualClock(), random: seededRandom(), ...more });

describe('registration', () => {
  it('keeps the service’s names for the service, and others from it', () => {
    const world = emptyWorld();
    expect(faultOf(() => world.register('bot_x')).errcode).toBe('M_EXCLUSIVE');
    expect(faultOf(() => world.register('bot')).errcode).toBe('M_EXCLUSIVE');
    expect(faultOf(() => world.register('zoe', 'service')).errcode).toBe('M_EXCLUSIVE');
    expect(world.register('bot_x', 'service')).toBe('@bot_x:hs.test');
    expect(faultOf(() => world.register('bot_x', 'service')).errcode).toBe('M_USER_IN_USE');
    expect(faultOf(() => world.register('Zoe')).errcode).toBe('M_INVALID_USERNAME');
    expect(world.profile('@bot_x:hs.test')).toEqual({ displayname: 'bot_x' });
  });

  it('fails for good once the unregistered sender has a name', () => {
    const world = emptyWorld();
    world.register('alice');
    const room = world.createRoom(alice, { invite: [bot] });
    world.join(bot, room);
    say(world, bot, room, 'not registered, and yet');
    world.setDisplayName(bot, 'Bot');
    for (const _ of [1, 2]) expect(faultOf(() => world.register('bot', 'service')).status).toBe(500);
  });

  it('gives tokens that name their user', () => {
    const { world } = smallWorld();
    const token = world.logIn(alice);
    expect(world.session(token.access_token)).toEqual({ user: alice, device: token.device_id });
    expect(world.tokenOf(alice)).toEqual(token);
    expect(world.logIn(alice).access_token).not.toBe(token.access_token);
    expect(faultOf(() => world.logIn('@nobody:hs.test')).status).toBe(403);
  });

  it('is not for users of other servers, who may act all the same', () => {
    const { world } = smallWorld();
    world.addRemoteUser('@eve:other.test', 'Eve');
    const room = roomOf(world, ['@eve:other.test']);
    expect(say(world, '@eve:other.test', room, 'hi')).toMatch(/^\$/);
    expect(world.joinedMembers(alice, room)['@eve:other.test']?.display_name).toBe('Eve');
  });
});

describe('what concerns the service', () => {
  const concerned = (events: readonly StoredEvent[], concerns: (event: StoredEvent) => boolean) =>
    events.filter(concerns).map(({ type, sender }) => `${type} ${sender}`);

  it('is what its users do, what is done to them, and what happens where they are', () => {
    const { world } = smallWorld();
    const seen: string[] = [];
    world.onEvent((event) => {
      if (world.concernsService(event))
        seen.push(`${event.type} ${event.content.body ?? event.content.membership}`);
    });
    const room = world.createRoom(alice);
    say(world, alice, room, 'before the invitation');
    world.invite(alice, room, bot);
    say(world, alice, room, 'before the join');
    world.join(bot, room);
    say(world, alice, room, 'after the join');
    say(world, bot, room, 'its own');
    world.kick(alice, room, bot);
    say(world, alice, room, 'after the kick');
    expect(seen).toEqual([
      'm.room.member invite',
      'm.room.member join',
      'm.room.message after the join',
      'm.room.message its own',
      'm.room.member leave',
    ]);
  });

  it('is a room with an alias of its namespace, whoever is in it; a namesake elsewhere is none of its users', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice);
    world.setAlias(bot, '#bot_hall:hs.test', room);
    say(world, alice, room, 'x');
    expect(concerned(world.timeline(room).slice(-1), world.concernsService)).toEqual([
      `m.room.message ${alice}`,
    ]);
    world.addRemoteUser('@bot_x:other.test');
    const other = roomOf(world, ['@bot_x:other.test']);
    say(world, '@bot_x:other.test', other, 'x');
    expect(concerned(world.timeline(other), world.concernsService)).toEqual([]);
  });
});

describe('OpenID tokens and files', () => {
  it('a token names its user for an hour', async () => {
    const { world, clock } = smallWorld();
    const token = world.requestOpenIdToken(alice);
    expect(token).toMatchObject({ token_type: 'Bearer', matrix_server_name: serverName, expires_in: 3600 });
    expect(world.openIdUser(token.access_token)).toBe(alice);
    await clock.advance(3_600_000);
    expect(faultOf(() => world.openIdUser(token.access_token))).toMatchObject({
      status: 401,
      errcode: 'M_UNKNOWN_TOKEN',
    });
  });

  it('a file is found under its address on this server', () => {
    const { world } = smallWorld();
    const uri = world.upload({ bytes: Buffer.from('hi'), type: 'text/plain', name: 'a.txt' });
    const id = uri.replace('mxc://hs.test/', '');
    expect(world.download(serverName, id)).toMatchObject({ type: 'text/plain', name: 'a.txt' });
    expect(faultOf(() => world.download('other.test', id)).status).toBe(404);
  });
});

describe('a world kept on disk', () => {
  it('comes back the same and goes on, without its client transactions', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob, bot], '10');
    const transaction = { owner: 'token', id: '1' };
    const first = world.send(alice, room, 'x', {}, transaction);
    const secret = say(world, bob, room, 'secret');
    world.redact(alice, room, secret);
    world.setAlias(alice, '#hall:hs.test', room);
    const token = world.logIn(alice);
    world.upload({ bytes: Buffer.from([0, 255]), type: 'x/y', name: undefined });

    const snapshot = JSON.parse(JSON.stringify(world));
    const again = emptyWorld({ snapshot, random: seededRandom(2) });
    expect(JSON.parse(JSON.stringify(again))).toEqual(snapshot);
    expect(again.session(token.access_token)?.user).toBe(alice);
    expect(again.joinedMembers(alice, room)).toEqual(world.joinedMembers(alice, room));
    expect(again.event(alice, room, secret).content).toEqual({});
    expect(again.send(alice, room, 'x', {}, transaction)).not.toBe(first);
    expect(again.timeline(room).at(-1)?.position).toBe(snapshot.position + 1);
    expect(faultOf(() => say(again, '@new:hs.test', room, 'x')).status).toBe(403);
  });

  it('is refused as another server’s', () => {
    const snapshot = smallWorld().world.toJSON();
    expect(() => emptyWorld({ snapshot, serverName: 'other.test' })).toThrow(TypeError);
  });
});

describe('the seed', () => {
  it('makes three people, two group rooms and a direct room each, once', () => {
    const world = emptyWorld();
    const first = seed(world);
    expect(Object.keys(first.people)).toEqual(['alice', 'bob', 'carol']);
    expect(world.roomIds()).toHaveLength(5);
    for (const [room, version] of [
      [first.lobby, '12'],
      [first.oldHall, '10'],
    ] as const) {
      expect(Object.keys(world.joinedMembers(bot, room))).toHaveLength(4);
      expect(world.stateEvent(bot, room, 'm.room.create').content.room_version).toBe(version);
    }
    expect(world.resolveAlias('#lobby:hs.test')).toBe(first.lobby);
    const direct = world
      .roomIds()
      .filter((room) => world.timeline(room).some(({ content }) => content.is_direct === true));
    expect(direct).toHaveLength(3);
    expect(seed(world)).toEqual(first);
    const restored = emptyWorld({ snapshot: JSON.parse(JSON.stringify(world)) });
    expect(seed(restored)).toEqual(first);
    expect(restored.roomIds()).toHaveLength(5);
  });

  it('takes people that are there already', () => {
    const world = emptyWorld();
    populate(world);
    expect(seed(world).people.alice.user_id).toBe(alice);
  });
});
