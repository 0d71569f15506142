import { describe, expect, it } from 'vitest';
import type { Delivery, Outbox } from '../../../../bin/dev/homeserver/push/style.ts';
import { synapse } from '../../../../bin/dev/homeserver/push/synapse.ts';
import { alice, bot, roomOf, say, smallWorld } from '../small-world.ts';
import { seededRandom } from '../virtual-clock.ts';

function start(receive_ephemeral = false) {
  const { world, clock } = smallWorld({ receive_ephemeral });
  const room = roomOf(world, [bot]);
  const outbox = synapse.outbox({ world, random: seededRandom(), now: () => clock.now() });
  world.onEvent((event) => world.concernsService(event) && outbox.take(event));
  world.onEphemeral((notice) => outbox.takeEphemeral(notice));
  return { world, clock, room, outbox, say: (body: string) => say(world, alice, room, body) };
}

const bodies = (delivery: Delivery | undefined) =>
  delivery?.body.events.map(({ content }) => (content as { body?: string }).body);

/** Delivers all that waits; each as id and bodies. */
function drain(outbox: Outbox): [string, unknown][] {
  const all: [string, unknown][] = [];
  for (let next = outbox.next(); next; next = outbox.next()) {
    all.push([next.id, bodies(next)]);
    outbox.settle(true);
  }
  return all;
}

describe('a transaction of Synapse’s', () => {
  it('is numbered from 1 and holds what came while the last was in flight, at most 100', () => {
    const { outbox, say } = start();
    say('1');
    expect([outbox.next()?.id, bodies(outbox.next())]).toEqual(['1', ['1']]);
    for (let n = 2; n <= 251; n++) say(`${n}`);
    expect(bodies(outbox.next())).toEqual(['1']);
    outbox.settle(true);
    expect(drain(outbox).map(([id, list]) => [id, (list as string[]).length])).toEqual([
      ['2', 100],
      ['3', 100],
      ['4', 50],
    ]);
    expect(outbox.next()).toBeUndefined();
    expect(outbox.waiting()).toBe(0);
  });

  it('has the old copies at the top of an event, and no transaction id or membership', () => {
    const { world, clock, room, outbox } = start();
    world.send(bot, room, 'x', {}, { owner: 'service', id: '1' });
    void clock.advance(5);
    const [event] = outbox.next()!.body.events;
    expect(event).toMatchObject({ user_id: bot, age: expect.any(Number), room_id: room, sender: bot });
    expect(Object.keys(event!.unsigned as object)).toEqual(['age']);
    outbox.settle(true);
    world.setDisplayName(bot, 'Bot');
    expect(outbox.next()!.body.events[0]).toMatchObject({
      prev_content: { membership: 'join', displayname: 'bot' },
      replaces_state: expect.any(String),
      unsigned: { prev_sender: bot },
    });
  });

  it('is rebuilt for each try: other ages, redacted events emptied', async () => {
    const { world, clock, room, outbox, say } = start();
    const target = say('secret');
    const first = outbox.next()!;
    expect(first.body.events[0]).toMatchObject({ content: { body: 'secret' }, age: 0 });
    outbox.settle(false);
    await clock.advance(2_000);
    world.redact(alice, room, target);
    const second = outbox.next()!;
    expect(second.id).toBe(first.id);
    expect(second.body.events).toEqual([
      expect.objectContaining({
        event_id: target,
        content: {},
        age: 2_000,
        redacted_because: expect.objectContaining({ type: 'm.room.redaction' }),
      }),
    ]);
    outbox.settle(true);
    expect(outbox.next()!.body.events[0]).toMatchObject({ type: 'm.room.redaction', redacts: target });
  });

  it('has the single key events, unless the service wants notices; those come once', () => {
    const plain = start();
    plain.world.setTyping(alice, plain.room, true);
    expect(plain.outbox.next()).toBeUndefined();
    plain.say('x');
    expect(Object.keys(plain.outbox.next()!.body)).toEqual(['events']);

    const { world, room, outbox, say } = start(true);
    world.setTyping(alice, room, true);
    const notice = { type: 'm.typing', room_id: room, content: { user_ids: [alice] } };
    expect(outbox.next()?.body).toMatchObject({ events: [], ephemeral: [notice] });
    outbox.settle(false);
    expect(outbox.next()?.body).toMatchObject({ events: [], ephemeral: [] });
    world.setTyping(alice, room, false);
    outbox.settle(true);
    expect(outbox.next()).toBeUndefined();
    world.sendReceipt(alice, room, 'm.read', say('y'));
    expect(outbox.next()?.body).toMatchObject({
      events: [{ content: { body: 'y' } }],
      ephemeral: [{ type: 'm.receipt' }],
    });
  });
});

describe('a service that is DOWN', () => {
  it('gets each new event in a transaction of its own, the oldest first, until all are through', () => {
    const { outbox, say } = start();
    say('1');
    outbox.next();
    say('2');
    say('3');
    outbox.settle(false);
    say('4');
    say('5');
    const head = outbox.next()!;
    expect([head.id, head.isBacklog]).toEqual(['1', true]);
    say('6');
    outbox.settle(false);
    expect(drain(outbox)).toEqual([
      ['1', ['1']],
      ['2', ['2', '3']],
      ['3', ['4']],
      ['4', ['5']],
      ['5', ['6']],
    ]);
    say('7');
    say('8');
    expect(drain(outbox)).toEqual([['6', ['7', '8']]]);
  });
});

describe('a restart', () => {
  it('begins again at 1 when nothing is left over', () => {
    const { outbox, say } = start();
    for (const n of ['1', '2', '3']) {
      say(n);
      drain(outbox);
    }
    outbox.restart({});
    say('4');
    expect(drain(outbox)).toEqual([['1', ['4']]]);
  });

  it('sends what was in flight again, but only once there is news; what was queued is lost', () => {
    const { outbox, say } = start();
    say('1');
    outbox.next();
    say('lost');
    outbox.restart({});
    expect(outbox.next()).toBeUndefined();
    say('2');
    expect(outbox.next()).toMatchObject({ id: '1', isBacklog: true });
    expect(drain(outbox)).toEqual([
      ['1', ['1']],
      ['2', ['2']],
    ]);
  });

  it('keeps what was queued where it is told to, and the backlog always', () => {
    const { outbox, say } = start();
    say('1');
    outbox.next();
    say('2');
    outbox.restart({ loseQueued: false });
    say('3');
    expect(drain(outbox)).toEqual([
      ['1', ['1']],
      ['2', ['2']],
      ['3', ['3']],
    ]);
  });

  it('by a kill leaves what was in flight behind until the next outage, late and out of order', () => {
    const { outbox, say } = start();
    say('0');
    drain(outbox);
    say('old');
    outbox.next();
    say('lost');
    outbox.restart({ killed: true });
    expect(outbox.next()).toBeUndefined();
    say('new');
    expect(drain(outbox)).toEqual([['3', ['new']]]);
    say('newer');
    outbox.next();
    outbox.settle(false);
    expect(drain(outbox)).toEqual([
      ['2', ['old']],
      ['4', ['newer']],
    ]);
  });
});

describe('a new partition', () => {
  it('keeps the order and every event, and leaves alone what is in flight', () => {
    const { outbox, say } = start();
    say('0');
    outbox.next();
    const rest = Array.from({ length: 30 }, (_, n) => say(`${n}`) && `${n}`);
    outbox.repartition(seededRandom(3));
    expect(bodies(outbox.next())).toEqual(['0']);
    outbox.settle(false);
    outbox.repartition(seededRandom(4));
    const parts = drain(outbox).map(([, list]) => list as string[]);
    expect(parts.flat()).toEqual(['0', ...rest]);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.length).toBeLessThan(31);
  });
});

describe('an answer', () => {
  it.each([
    [200, '{}', true],
    [202, '[]', true],
    [200, '', false],
    [204, '', false],
    [200, '<html>', false],
    [302, '{}', false],
    [429, '{}', false],
    [500, '{}', false],
  ])('%i with %j counts: %s', (status, body, accepted) => {
    expect(synapse.accepts(status, body)).toBe(accepted);
  });

  it('that is none makes the pauses 2, 4, 8 up to 512 s', () => {
    expect([1, 2, 3, 9, 10, 99].map(synapse.pause)).toEqual([2, 4, 8, 512, 512, 512]);
  });
});
