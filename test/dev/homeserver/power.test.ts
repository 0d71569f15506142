import { describe, expect, it } from 'vitest';
import { alice, bob, bot, faultOf, roomOf, say, smallWorld } from './small-world.ts';

const LEVELS = 'm.room.power_levels';

describe('power levels', () => {
  it('decide who sends messages, types of them, and state', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    world.setState(alice, room, LEVELS, '', {
      events_default: 10,
      events: { 'm.reaction': 0, 'x.topic': 5 },
    });
    expect(faultOf(() => say(world, bob, room, 'x')).error).toBe(
      "You don't have permission to post that to the room. user_level (0) < send_level (10)",
    );
    expect(world.send(bob, room, 'm.reaction', {})).toMatch(/^\$/);
    expect(faultOf(() => world.setState(bob, room, 'm.room.topic', '', { topic: 'x' })).error).toContain(
      'send_level (50)',
    );
    world.setState(alice, room, LEVELS, '', { users: { [bob]: 50 }, events_default: 10 });
    expect(say(world, bob, room, 'x')).toMatch(/^\$/);
    expect(world.setState(bob, room, 'm.room.topic', '', { topic: 'x' })).toMatch(/^\$/);
  });

  it('protect state under another user’s id, and the create event', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    expect(faultOf(() => world.setState(alice, room, 'x', bob, {})).error).toBe(
      'You are not allowed to set others state',
    );
    expect(world.setState(alice, room, 'x', alice, {})).toMatch(/^\$/);
    expect(faultOf(() => world.setState(alice, room, 'm.room.create', '', {})).status).toBe(403);
  });

  it('cannot be raised above one’s own, nor taken from an equal', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob, bot], '11');
    const levels = (users: Record<string, number>, more: object = {}) =>
      world.setState(bob, room, LEVELS, '', { users, events: { [LEVELS]: 50 }, ...more });
    world.setState(alice, room, LEVELS, '', {
      users: { [alice]: 100, [bob]: 50, [bot]: 50 },
      events: { [LEVELS]: 50 },
    });
    expect(faultOf(() => levels({ [alice]: 100, [bob]: 51, [bot]: 50 })).status).toBe(403);
    expect(faultOf(() => levels({ [alice]: 100, [bob]: 50, [bot]: 0 })).status).toBe(403);
    expect(faultOf(() => levels({ [bob]: 50, [bot]: 50 })).status).toBe(403);
    expect(faultOf(() => levels({ [alice]: 100, [bob]: 50, [bot]: 50 }, { events_default: 51 })).status).toBe(
      403,
    );
    expect(levels({ [alice]: 100, [bob]: 50, [bot]: 50 }, { events_default: 50 })).toMatch(/^\$/);
    expect(levels({ [alice]: 100, [bob]: 0, [bot]: 50 }, { events_default: 50 })).toMatch(/^\$/);
  });

  it('are integers from version 10 on; before, strings and fractions count', () => {
    const { world } = smallWorld();
    const odd = { users: { [alice]: ' +100 ', [bob]: '50' }, events_default: 49.9, redact: '000050' };
    for (const version of ['12', '11', '10'])
      expect(
        faultOf(() => world.setState(alice, roomOf(world, [], version), LEVELS, '', { events_default: '5' }))
          .errcode,
      ).toBe('M_BAD_JSON');
    const old = roomOf(world, [bob, bot], '5');
    world.setState(alice, old, LEVELS, '', odd);
    const said = say(world, bob, old, 'x');
    expect(faultOf(() => say(world, bot, old, 'x')).error).toContain('user_level (0) < send_level (49)');
    expect(world.redact(bob, old, world.timeline(old).at(-1)!.id)).toMatch(/^\$/);
    expect(world.event(alice, old, said).redactedBy).toBeDefined();
    expect(faultOf(() => world.setState(alice, old, LEVELS, '', { events_default: 'much' })).errcode).toBe(
      'M_BAD_JSON',
    );
  });

  it('of version 12 never name a creator, who stands above them', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, { creation_content: { additional_creators: [bot] }, invite: [bot] });
    world.join(bot, room);
    expect(faultOf(() => world.setState(bot, room, LEVELS, '', { users: { [alice]: 0 } })).status).toBe(400);
    world.setState(bot, room, LEVELS, '', { events_default: 1_000 });
    expect(say(world, bot, room, 'x')).toMatch(/^\$/);
  });

  it('of older versions do not know additional creators', () => {
    const { world } = smallWorld();
    const room = world.createRoom(alice, {
      room_version: '11',
      creation_content: { additional_creators: [bot] },
      power_level_content_override: { events_default: 10 },
      invite: [bot],
    });
    world.join(bot, room);
    expect(faultOf(() => say(world, bot, room, 'x')).status).toBe(403);
  });
});
