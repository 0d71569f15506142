import { describe, expect, it } from 'vitest';
import { alice, bob, bot, faultOf, roomOf, say, smallWorld } from './small-world.ts';

const membership = (world: ReturnType<typeof smallWorld>['world'], room: string, user: string) =>
  world.stateEvent(alice, room, 'm.room.member', user).content.membership;

describe('joining', () => {
  it('needs an invitation or an open room', () => {
    const { world } = smallWorld();
    const closed = world.createRoom(alice);
    const open = world.createRoom(alice, { preset: 'public_chat' });
    expect(faultOf(() => world.join(bob, closed)).error).toBe('You are not invited to this room.');
    world.join(bob, open);
    expect(membership(world, open, bob)).toBe('join');
    expect(faultOf(() => world.join(bob, '!nowhere:hs.test')).status).toBe(404);
  });

  it('twice makes one event', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    const before = world.timeline(room).length;
    world.join(bob, room);
    expect(world.timeline(room)).toHaveLength(before);
  });
});

describe('an invitation', () => {
  it('shows the room to the invited, and is made once', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { name: 'Lobby' });
    world.invite(alice, room, bot);
    world.invite(alice, room, bot);
    const invites = world.timeline(room).filter(({ stateKey }) => stateKey === bot);
    expect(invites).toHaveLength(1);
    const { unsigned } = world.clientEvent(invites[0]!, { legacy: true }) as {
      unsigned: { invite_room_state: object[] };
    };
    expect(unsigned.invite_room_state).toEqual([
      expect.objectContaining({ type: 'm.room.create' }),
      expect.objectContaining({ type: 'm.room.join_rules' }),
      expect.objectContaining({ type: 'm.room.name', content: { name: 'Lobby' } }),
      expect.objectContaining({ type: 'm.room.member', state_key: alice }),
    ]);
  });

  it('is refused for who is there, who is banned, and by who has no power', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { preset: 'public_chat' });
    world.join(bob, room);
    expect(faultOf(() => world.invite(alice, room, bob)).error).toBe('@bob:hs.test is already in the room.');
    expect(faultOf(() => world.invite(bob, room, bot)).error).toBe(
      "You don't have permission to invite users",
    );
    world.ban(alice, room, bob);
    expect(faultOf(() => world.invite(alice, room, bob)).errcode).toBe('M_BAD_STATE');
    expect(faultOf(() => world.invite(bot, room, bob)).status).toBe(403);
  });
});

describe('an end of membership', () => {
  it('is a leave, also of an invitation', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    world.leave(bob, room, 'bye');
    expect(world.stateEvent(alice, room, 'm.room.member', bob).content).toEqual({
      membership: 'leave',
      reason: 'bye',
    });
    world.invite(alice, room, bot);
    world.leave(bot, room);
    expect(membership(world, room, bot)).toBe('leave');
    expect(faultOf(() => world.leave(bot, room)).error).toBe(`@bot:hs.test not in room ${room}.`);
  });

  it('by kick or ban needs power over the other', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob, bot], '10');
    expect(faultOf(() => world.kick(bob, room, bot)).error).toBe('You cannot kick user @bot:hs.test.');
    world.setState(alice, room, 'm.room.power_levels', '', { users: { [alice]: 100, [bob]: 50, [bot]: 50 } });
    expect(faultOf(() => world.kick(bob, room, bot)).status).toBe(403);
    expect(faultOf(() => world.ban(bob, room, alice)).status).toBe(403);
    world.kick(alice, room, bot, 'enough');
    expect(faultOf(() => say(world, bot, room, 'x')).error).toBe(`User @bot:hs.test not in room ${room}`);
    expect(faultOf(() => world.join(bot, room)).status).toBe(403);
    expect(faultOf(() => world.kick(alice, room, bot)).error).toBe('The target user is not in the room');
  });

  it('by ban lasts until it is taken back', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { preset: 'public_chat' });
    world.join(bob, room);
    world.ban(alice, room, bob);
    expect(faultOf(() => world.join(bob, room))).toMatchObject({ status: 403, errcode: 'M_BAD_STATE' });
    world.unban(alice, room, bob);
    expect(faultOf(() => world.unban(alice, room, bob)).errcode).toBe('M_BAD_STATE');
    world.join(bob, room);
    expect(membership(world, room, bob)).toBe('join');
  });
});

describe('membership sent as state', () => {
  it('obeys the same rules', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice);
    world.setState(alice, room, 'm.room.member', bob, { membership: 'invite', reason: 'come' });
    expect(world.stateEvent(alice, room, 'm.room.member', bob).content).toMatchObject({
      membership: 'invite',
      reason: 'come',
    });
    world.setState(bob, room, 'm.room.member', bob, { membership: 'join' });
    world.setState(bob, room, 'm.room.member', bob, { membership: 'join', displayname: 'Bobby' });
    expect(world.joinedMembers(alice, room)[bob]).toEqual({ display_name: 'Bobby', avatar_url: null });
    expect(
      faultOf(() => world.setState(bob, room, 'm.room.member', alice, { membership: 'leave' })).status,
    ).toBe(403);
    expect(
      faultOf(() => world.setState(bob, room, 'm.room.member', alice, { membership: 'join' })).status,
    ).toBe(400);
    expect(faultOf(() => world.send(bob, room, 'm.room.member', { membership: 'leave' })).status).toBe(400);
  });
});

describe('a change of name', () => {
  it('is told in each room the user is in, once', () => {
    const { world } = smallWorld();
    const [one, two, other] = [roomOf(world, [bob]), roomOf(world, [bob]), roomOf(world)];
    const before = world.timeline(other).length;
    world.setDisplayName(bob, 'Robert');
    world.setDisplayName(bob, 'Robert');
    for (const room of [one, two]) {
      const events = world.timeline(room).filter(({ content }) => content.displayname === 'Robert');
      expect(events).toHaveLength(1);
      expect(world.clientEvent(events[0]!, { legacy: true }).prev_content).toEqual({
        membership: 'join',
        displayname: 'bob',
      });
    }
    expect(world.timeline(other)).toHaveLength(before);
    expect(world.profile(bob)).toEqual({ displayname: 'Robert' });
  });
});
