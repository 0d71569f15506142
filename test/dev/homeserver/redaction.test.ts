import { describe, expect, it } from 'vitest';
import { alice, bob, bot, faultOf, roomOf, say, smallWorld } from './small-world.ts';

describe('a redaction', () => {
  it('empties a message and says by whom', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    const target = say(world, bob, room, 'secret');
    const redaction = world.redact(alice, room, target, { reason: 'spam' });
    const seen = world.clientEvent(world.event(alice, room, target), { legacy: true });
    expect(seen.content).toEqual({});
    expect(seen.unsigned).toMatchObject({
      redacted_by: redaction,
      redacted_because: { event_id: redaction, sender: alice, content: { reason: 'spam' } },
    });
    expect(seen.redacted_because).toMatchObject({ event_id: redaction });
    expect(JSON.stringify(world.toJSON())).not.toContain('secret');
  });

  it.each(['9', '10', '11', '12'])(
    'in version %s names its target in both places for Synapse, in one elsewhere',
    (version) => {
      const { world } = smallWorld();
      const room = roomOf(world, [], version);
      const target = say(world, alice, room, 'x');
      const event = world.event(alice, room, world.redact(alice, room, target));
      expect(world.clientEvent(event, { legacy: true })).toMatchObject({
        redacts: target,
        content: { redacts: target },
      });
      const modern = world.clientEvent(event, { legacy: false });
      const inContent = Number(version) >= 11;
      expect(modern.redacts).toBe(inContent ? undefined : target);
      expect((modern.content as { redacts?: string }).redacts).toBe(inContent ? target : undefined);
    },
  );

  it('is for who has the level, or sent the event', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob, bot]);
    const target = say(world, bob, room, 'x');
    expect(faultOf(() => world.redact(bot, room, target)).error).toBe(
      "You don't have permission to redact events",
    );
    expect(faultOf(() => world.redact(bot, room, '$no'))).toMatchObject({
      status: 404,
      errcode: 'M_NOT_FOUND',
    });
    expect(world.redact(bob, room, target)).toMatch(/^\$/);
    expect(world.redact(alice, room, '$no')).toMatch(/^\$/);
    expect(faultOf(() => world.redact(alice, room, world.timeline(room)[0]!.id)).status).toBe(403);
  });

  it('may be sent as an event, and again', () => {
    const { world } = smallWorld();
    const room = roomOf(world);
    const target = say(world, alice, room, 'x');
    const first = world.send(alice, room, 'm.room.redaction', { redacts: target, reason: 'r' });
    const second = world.redact(alice, room, target);
    expect(second).not.toBe(first);
    expect(world.event(alice, room, target).redactedBy).toBe(first);
    expect(world.event(alice, room, first).content).toEqual({ redacts: target, reason: 'r' });
  });

  it.each([
    ['12', 'm.room.member', { membership: 'join', displayname: 'x' }, { membership: 'join' }],
    ['12', 'm.room.power_levels', { invite: 3, ban: 50, notifications: {} }, { invite: 3, ban: 50 }],
    ['10', 'm.room.power_levels', { invite: 3, ban: 50 }, { ban: 50 }],
    ['7', 'm.room.join_rules', { join_rule: 'public', allow: [] }, { join_rule: 'public' }],
    ['8', 'm.room.join_rules', { join_rule: 'public', allow: [] }, { join_rule: 'public', allow: [] }],
    ['12', 'm.room.topic', { topic: 'x' }, {}],
  ])('in version %s keeps of %s what the room needs', (version, type, content, kept) => {
    const { world } = smallWorld();
    const room = roomOf(world, [], version);
    const id = world.setState(alice, room, type, type === 'm.room.member' ? alice : '', content);
    world.redact(alice, room, id);
    expect(world.event(alice, room, id).content).toEqual(kept);
  });
});
