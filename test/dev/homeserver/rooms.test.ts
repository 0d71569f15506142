import { describe, expect, it } from 'vitest';
import { alice, bob, bot, faultOf, say, smallWorld, text } from './small-world.ts';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

describe('a new room', () => {
  it('begins with the events of a homeserver, in its order', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { name: 'Lobby', topic: 'Talk', invite: [bob] });
    expect(types(world.timeline(room))).toEqual([
      'm.room.create',
      'm.room.member',
      'm.room.power_levels',
      'm.room.join_rules',
      'm.room.history_visibility',
      'm.room.guest_access',
      'm.room.name',
      'm.room.topic',
      'm.room.member',
    ]);
    expect(world.timeline(room).map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('of version 12 is named by its create event and has its creators above the levels', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { preset: 'trusted_private_chat', invite: [bot] });
    const [create, , levels] = world.timeline(room);
    expect(room).toMatch(/^![A-Za-z0-9_-]{43}$/);
    expect(create?.id).toBe(`$${room.slice(1)}`);
    expect(create?.content).toEqual({ room_version: '12', additional_creators: [bot] });
    expect(levels?.content.users).toEqual({});
    world.join(bot, room);
    expect(faultOf(() => world.kick(alice, room, bot))).toMatchObject({
      status: 403,
      errcode: 'M_FORBIDDEN',
    });
  });

  it.each(['11', '10', '9', '1'])(
    'of version %s has a domain in its id and its creator in the levels',
    (version) => {
      const { world } = smallWorld();
      const room = world.createRoom(alice, {
        preset: 'trusted_private_chat',
        invite: [bot],
        room_version: version,
      });
      const [create, , levels] = world.timeline(room);
      expect(room).toMatch(/^![^:]+:hs\.test$/);
      expect(create?.content.creator).toBe(Number(version) < 11 ? alice : undefined);
      expect(create?.content.additional_creators).toBeUndefined();
      expect(levels?.content.users).toEqual({ [alice]: 100, [bot]: 100 });
    },
  );

  it('has event ids of its version', () => {
    const { world } = smallWorld();
    const idIn = (room_version: string) => {
      const room = world.createRoom(alice, { room_version });
      return say(world, alice, room, 'x');
    };
    expect(idIn('1')).toMatch(/^\$[^:]+:hs\.test$/);
    expect(idIn('3')).toMatch(/^\$[A-Za-z0-9+/]{43}$/);
    expect(idIn('4')).toMatch(/^\$[A-Za-z0-9_-]{43}$/);
  });

  it('marks invitations as direct, and nothing else', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { is_direct: true, invite: [bot] });
    expect(world.timeline(room)[0]?.content.is_direct).toBeUndefined();
    expect(world.timeline(room).at(-1)?.content).toMatchObject({ membership: 'invite', is_direct: true });
    world.join(bot, room);
    const joined = world.clientEvent(world.timeline(room).at(-1)!, { legacy: true });
    expect(joined.content).not.toHaveProperty('is_direct');
    expect(joined.prev_content).toMatchObject({ membership: 'invite', is_direct: true });
  });

  it('takes the caller’s state in place of its preset’s, and other levels over them', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, {
      initial_state: [
        { type: 'm.room.join_rules', content: { join_rule: 'public' } },
        { type: 'm.room.encryption', content: { algorithm: 'm.megolm.v1.aes-sha2' } },
      ],
      power_level_content_override: { events_default: 10 },
      creation_content: { type: 'm.space' },
    });
    expect(world.timeline(room).filter(({ type }) => type === 'm.room.join_rules')).toHaveLength(1);
    expect(world.stateEvent(alice, room, 'm.room.power_levels').content).toMatchObject({
      events_default: 10,
      ban: 50,
    });
    expect(world.stateEvent(alice, room, 'm.room.create').content.type).toBe('m.space');
    world.join(bob, room);
    expect(faultOf(() => say(world, bob, room, 'x')).error).toContain('user_level (0) < send_level (10)');
    expect(world.send(alice, room, 'm.room.encrypted', { algorithm: 'a', ciphertext: 'b' })).toMatch(/^\$/);
  });

  it.each([
    ['an unknown version', { room_version: '99' }, 'M_UNSUPPORTED_ROOM_VERSION'],
    [
      'a creator among the levels',
      { power_level_content_override: { users: { [alice]: 100 } } },
      'M_UNKNOWN',
    ],
    ['an alias of the service', { room_alias_name: 'bot_x' }, 'M_EXCLUSIVE'],
    ['a guest without a user id', { invite: ['nobody'] }, 'M_UNKNOWN'],
    [
      'members in its state',
      { initial_state: [{ type: 'm.room.member', state_key: bob, content: {} }] },
      'M_UNKNOWN',
    ],
    ['state too large', { name: 'x'.repeat(66_000) }, 'M_TOO_LARGE'],
    ['levels of an odd form', { power_level_content_override: { ban: '50' } }, 'M_BAD_JSON'],
  ])('is refused with %s, and leaves nothing behind', (_, options, errcode) => {
    const { world } = smallWorld();
    expect(faultOf(() => world.createRoom(alice, options)).errcode).toBe(errcode);
    expect(world.roomIds()).toEqual([]);
  });
});

describe('an alias', () => {
  it('is resolved, exists once, and is taken away by who may', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { room_alias_name: 'lobby' });
    expect(world.resolveAlias('#lobby:hs.test')).toBe(room);
    expect(world.aliases(alice, room)).toEqual(['#lobby:hs.test']);
    expect(faultOf(() => world.setAlias(alice, '#lobby:hs.test', room)).status).toBe(409);
    expect(faultOf(() => world.createRoom(alice, { room_alias_name: 'lobby' })).errcode).toBe(
      'M_ROOM_IN_USE',
    );
    expect(faultOf(() => world.removeAlias(bob, '#lobby:hs.test')).status).toBe(403);
    world.removeAlias(alice, '#lobby:hs.test');
    expect(faultOf(() => world.resolveAlias('#lobby:hs.test')).errcode).toBe('M_NOT_FOUND');
  });

  it('of the service’s namespace is the service’s', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice);
    expect(faultOf(() => world.setAlias(alice, '#bot_x:hs.test', room)).errcode).toBe('M_EXCLUSIVE');
    world.setAlias(bot, '#bot_x:hs.test', room);
    world.removeAlias(bot, '#bot_x:hs.test');
    expect(world.hasAlias('#bot_x:hs.test')).toBe(false);
  });
});

describe('an upgrade', () => {
  it.each([
    ['12', '11'],
    ['10', '12'],
  ])('from %s to %s closes the old room, takes the alias along, and invites nobody', (from, to) => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, {
      room_version: from,
      invite: [bot],
      room_alias_name: 'hall',
      name: 'Hall',
    });
    world.join(bot, room);
    const next = world.upgrade(alice, room, to);

    expect(types(world.timeline(room)).slice(-3)).toEqual([
      'm.room.tombstone',
      'm.room.power_levels',
      'm.room.canonical_alias',
    ]);
    expect(world.stateEvent(bot, room, 'm.room.tombstone').content.replacement_room).toBe(next);
    expect(world.stateEvent(bot, room, 'm.room.power_levels').content).toMatchObject({
      events_default: 50,
      invite: 50,
    });
    expect(faultOf(() => say(world, bot, room, 'x')).status).toBe(403);

    expect(world.stateEvent(alice, next, 'm.room.create').content).toMatchObject({
      room_version: to,
      predecessor: { room_id: room },
    });
    expect(world.stateEvent(alice, next, 'm.room.name').content).toEqual({ name: 'Hall' });
    expect(world.stateEvent(alice, next, 'm.room.power_levels').content.users).toEqual(
      to === '12' ? {} : { [alice]: 100 },
    );
    expect(world.resolveAlias('#hall:hs.test')).toBe(next);
    expect(faultOf(() => world.join(bot, next)).status).toBe(403);
  });

  it('needs the level for a tombstone', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { invite: [bob] });
    world.join(bob, room);
    expect(faultOf(() => world.upgrade(bob, room, '11')).status).toBe(403);
    expect(faultOf(() => world.upgrade(alice, room, '13')).errcode).toBe('M_UNSUPPORTED_ROOM_VERSION');
    expect(world.roomIds()).toEqual([room]);
    expect(world.send(bob, room, 'm.room.message', text('still open'))).toMatch(/^\$/);
  });
});
