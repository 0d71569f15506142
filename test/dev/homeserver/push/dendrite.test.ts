import { describe, expect, it } from 'vitest';
import { dendrite } from '../../../../bin/dev/homeserver/push/dendrite.ts';
import type { Delivery } from '../../../../bin/dev/homeserver/push/style.ts';
import { alice, bot, roomOf, say, smallWorld } from '../small-world.ts';
import { seededRandom } from '../virtual-clock.ts';

function start(seed = 1) {
  const { world, clock } = smallWorld({ receive_ephemeral: true });
  const room = roomOf(world, [bot]);
  const outbox = dendrite.outbox({ world, random: seededRandom(seed), now: () => clock.now() });
  world.onEvent((event) => world.concernsService(event) && outbox.take(event));
  world.onEphemeral((notice) => outbox.takeEphemeral(notice));
  return { world, clock, room, outbox, say: (body: string) => say(world, alice, room, body) };
}

const bodies = (delivery: Delivery | undefined) =>
  delivery?.body.events.map(({ content }) => (content as { body?: string }).body) ?? [];
const ids = (delivery: Delivery | undefined) => delivery?.body.events.map(({ event_id }) => event_id) ?? [];

describe('a transaction of Dendrite’s', () => {
  it('is named by the time of its first message in ns, and holds at most 50', () => {
    const { clock, outbox, say } = start();
    for (let n = 0; n < 70; n++) say(`${n}`);
    const first = outbox.next()!;
    expect(first.id).toBe(`${clock.now()}000000`);
    expect(bodies(first)).toHaveLength(50);
    outbox.settle(true);
    const second = outbox.next()!;
    expect(second.id).toBe(`${clock.now()}000050`);
    expect(bodies(second)).toHaveLength(20);
  });

  it('that failed is fetched again under its id and may have grown or shrunk', () => {
    const sizes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const { outbox, say } = start(seed);
      for (let n = 0; n < 5; n++) say(`${n}`);
      const { id } = outbox.next()!;
      for (let n = 5; n < 10; n++) say(`${n}`);
      expect(bodies(outbox.next())).toHaveLength(5);
      outbox.settle(false);
      const again = outbox.next()!;
      expect(again.id).toBe(id);
      const size = bodies(again).length;
      sizes.add(size < 5 ? 'shrunk' : size > 5 ? 'grown' : 'same');
      outbox.settle(true);
      expect([...bodies(again), ...bodies(outbox.next())]).toEqual(
        Array.from({ length: 10 }, (_, n) => `${n}`),
      );
    }
    expect(sizes).toEqual(new Set(['shrunk', 'grown', 'same']));
  });

  it('has no old copies, no ages, no notices, and a redacted event as it was', () => {
    const { world, room, outbox, say } = start();
    world.setTyping(alice, room, true);
    const target = say('secret');
    world.redact(alice, room, target);
    const { body } = outbox.next()!;
    expect(Object.keys(body)).toEqual(['events']);
    expect(body.events[0]).toEqual({
      type: 'm.room.message',
      event_id: target,
      room_id: room,
      sender: alice,
      origin_server_ts: expect.any(Number),
      content: { msgtype: 'm.text', body: 'secret' },
      unsigned: {},
    });
    expect(body.events[1]).toMatchObject({ type: 'm.room.redaction', content: { redacts: target } });
    expect(body.events[1]).not.toHaveProperty('redacts');
  });

  it('brings older state behind the bot’s join, and some state twice', () => {
    const seen = new Set<number>();
    for (let seed = 1; seed <= 10; seed++) {
      const { world, outbox } = start(seed);
      const room = world.createRoom(alice, { invite: [bot] });
      outbox.next();
      outbox.settle(true);
      world.join(bot, room);
      const delivery = outbox.next();
      const events = ids(delivery);
      expect(events[0]).toBe(world.timeline(room).at(-1)!.id);
      expect(events[1]).toBe(world.timeline(room)[0]!.id);
      seen.add(events.filter((id) => id === events[0]).length);
      outbox.settle(false);
      expect(ids(outbox.next())).toEqual(events);
    }
    expect(seen).toEqual(new Set([1, 2]));
  });

  it('loses nothing by a restart', () => {
    const { outbox, say } = start();
    say('1');
    say('2');
    const { id } = outbox.next()!;
    outbox.restart({ loseQueued: true });
    expect(outbox.next()!.id).toBe(id);
    expect(outbox.waiting()).toBe(2);
  });
});

describe('an answer', () => {
  it('counts with exactly 200, whatever its body, and pauses are at most 64 s', () => {
    expect([200, 201, 202, 204, 500].map((status) => dendrite.accepts(status, ''))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    expect([1, 2, 6, 7].map(dendrite.pause)).toEqual([2, 4, 64, 64]);
    expect(dendrite.pingEndsPause).toBe(false);
  });
});
