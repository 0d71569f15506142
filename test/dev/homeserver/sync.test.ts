import { describe, expect, it } from 'vitest';
import { alice, bob, bot, roomOf, say, smallWorld } from './small-world.ts';

const reader = { user: bob, owner: 'token' };
type Part = {
  timeline: {
    events: { type: string; event_id: string; content: { body?: string } }[];
    limited: boolean;
    prev_batch: string;
  };
  state: { events: { type: string; state_key: string; content: unknown }[] };
  ephemeral: { events: { type: string; content: unknown }[] };
};
const typesOf = (events: readonly { type: string }[]) => events.map(({ type }) => type);

function start() {
  const { world, clock } = smallWorld();
  const room = roomOf(world, [bob]);
  let since: string | undefined;
  const next = (limit?: number) => {
    const { news, answer } = world.sync(reader, { since, limit });
    since = answer.next_batch;
    return { news, rooms: answer.rooms, part: answer.rooms.join[room] as Part | undefined };
  };
  return { world, clock, room, next };
}

describe('sync', () => {
  it('gives the rooms at first, then only what is new', () => {
    const { world, room, next } = start();
    const first = next(2);
    expect(typesOf(first.part!.timeline.events)).toEqual(['m.room.member', 'm.room.member']);
    expect(first.part!.timeline.limited).toBe(true);
    expect(typesOf(first.part!.state.events)).toContain('m.room.create');
    expect(first.part!.state.events.some(({ state_key }) => state_key === bob)).toBe(false);
    expect(next()).toMatchObject({ news: false, part: undefined });
    say(world, alice, room, 'hello');
    const third = next();
    expect(third.news).toBe(true);
    expect(third.part!.timeline.events).toEqual([
      expect.objectContaining({ content: { msgtype: 'm.text', body: 'hello' }, sender: alice }),
    ]);
    expect(third.part!.timeline.events[0]).not.toHaveProperty('room_id');
    expect(third.part!.state.events).toEqual([]);
  });

  it('leaves a gap that messages fill, with the state changed in it', () => {
    const { world, room, next } = start();
    next();
    world.setState(alice, room, 'm.room.topic', '', { topic: 'x' });
    const sent = ['1', '2', '3', '4'].map((body) => say(world, alice, room, body));
    const { timeline, state } = next(2).part!;
    expect(timeline.events.map(({ content }) => content.body)).toEqual(['3', '4']);
    expect(typesOf(state.events)).toEqual(['m.room.topic']);
    const { chunk } = world.messages(bob, room, { dir: 'b', from: timeline.prev_batch, limit: 2 });
    expect(chunk.map(({ id }) => id)).toEqual([sent[1], sent[0]]);
  });

  it('tells of an invitation, the whole room at the join, and the leave once', () => {
    const { world, room, next } = start();
    next();
    const other = world.createRoom(alice, { name: 'Other' });
    say(world, alice, other, 'early');
    world.invite(alice, other, bob);
    expect(next().rooms.invite[other]).toMatchObject({
      invite_state: { events: expect.arrayContaining([expect.objectContaining({ type: 'm.room.name' })]) },
    });
    expect(next().rooms.invite).toEqual({});
    world.join(bob, other);
    const joined = next(30).rooms.join[other] as Part;
    expect(typesOf(joined.timeline.events)[0]).toBe('m.room.create');
    expect(joined.timeline.limited).toBe(false);
    world.kick(alice, other, bob);
    say(world, alice, other, 'unseen');
    const left = next().rooms.leave[other] as Part;
    expect(typesOf(left.timeline.events)).toEqual(['m.room.member']);
    expect(next().rooms.leave).toEqual({});
    expect(world.sync(reader).answer.rooms).toMatchObject({ join: { [room]: expect.anything() }, leave: {} });
  });

  it('tells of typing, its end by itself, and receipts', async () => {
    const { world, clock, room, next } = start();
    next();
    world.setTyping(alice, room, true, 5_000);
    const read = say(world, alice, room, 'x');
    world.sendReceipt(alice, room, 'm.read', read);
    world.sendReceipt(alice, room, 'm.read.private', read);
    expect(next().part!.ephemeral.events).toEqual([
      { type: 'm.typing', content: { user_ids: [alice] } },
      { type: 'm.receipt', content: { [read]: { 'm.read': { [alice]: { ts: clock.now() } } } } },
    ]);
    expect(next().news).toBe(false);
    expect(world.typingUsers(room)).toEqual([alice]);
    await clock.advance(5_000);
    expect(world.typingUsers(room)).toEqual([]);
    expect(next().part!.ephemeral.events).toEqual([{ type: 'm.typing', content: { user_ids: [] } }]);
    world.setTyping(bob, room, true);
    world.setTyping(bob, room, false);
    expect(next().part!.ephemeral.events).toEqual([{ type: 'm.typing', content: { user_ids: [] } }]);
  });

  it('shows a redacted message without its text', () => {
    const { world, room, next } = start();
    next();
    const target = say(world, bob, room, 'secret');
    world.redact(bob, room, target);
    expect(JSON.stringify(next())).not.toContain('secret');
    expect(world.sync({ user: bot, owner: 'x' }).answer.rooms.join).toEqual({});
  });
});
