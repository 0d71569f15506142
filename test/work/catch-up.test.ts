/** What a homeserver did not push is read back; and the ping that tells whether it is there. */
import { describe, expect, it } from 'vitest';
import { noteAway, pulseNoter, readPulse } from '../../functions/gate/pulse.ts';
import { catchUp, catchUpRooms } from '../../functions/work/catch-up.ts';
import { keepAlive } from '../../functions/work/keep-alive.ts';
import { ANA, BEN, MENTION } from './people.ts';
import { Shop } from './shop.ts';

const HOUR = 3_600_000;

describe('catching up with a room', () => {
  it('decides what was missed, oldest first, and answers what is to be answered', async () => {
    const shop = new Shop();
    shop.send(shop.group, ANA, 'one', MENTION);
    shop.send(shop.group, BEN, 'not for us');
    shop.send(shop.group, ANA, 'two', MENTION);
    const read = await shop.finish(catchUp(shop.work, shop.group, 0, 100));
    expect(read).toBe(3);
    await shop.run();
    expect(shop.bodies(shop.group)).toEqual(['ana said: one\ntwo']);
  });

  it('decides nothing twice', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    await shop.run();
    await shop.echo();
    await shop.finish(catchUp(shop.work, shop.direct, 0, 100));
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: hello']);
  });

  it('reads from that time on, and no further', async () => {
    const shop = new Shop();
    shop.send(shop.direct, ANA, 'old');
    await shop.clock.advance(60_000);
    const since = shop.clock.now();
    shop.send(shop.direct, ANA, 'new');
    expect(await shop.finish(catchUp(shop.work, shop.direct, since, 100))).toBe(1);
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: new']);
  });

  it('reads page by page, at most so many', async () => {
    const shop = new Shop();
    for (let n = 0; n < 250; n++) shop.send(shop.group, BEN, `m${n}`);
    expect(await shop.finish(catchUp(shop.work, shop.group, 0, 150))).toBe(150);
    expect(shop.called('messages')).toHaveLength(2);
    const all = await shop.finish(catchUp(shop.work, shop.group, 0, 1_000));
    expect(all).toBe(250);
  });

  it('takes redactions and the bot’s own words along', async () => {
    const shop = new Shop();
    const turn = await shop.ask('secret hello');
    await shop.run();
    const asked = shop.rooms
      .timeline(shop.direct)
      .find(({ sender, type }) => sender === ANA && type === 'm.room.message')!;
    shop.rooms.redact(ANA, shop.direct, asked.id);
    await shop.finish(catchUp(shop.work, shop.direct, 0, 100));
    expect(JSON.stringify(shop.turns.all())).not.toContain('secret');
    expect(shop.head(turn).forgotten).toBe(true);
  });
});

describe('catching up with all rooms', () => {
  it('leaves one that can’t be read, and goes on', async () => {
    const shop = new Shop();
    shop.send(shop.direct, ANA, 'hello');
    shop.send(shop.group, ANA, 'hello', MENTION);
    shop.refuse('messages', 500);
    expect(await shop.finish(catchUpRooms(shop.work, 0, { rooms: 9, messages: 9 }))).toBe(1);
  });

  it('reads so many rooms at most', async () => {
    const shop = new Shop();
    await shop.finish(catchUpRooms(shop.work, 0, { rooms: 1, messages: 9 }));
    expect(shop.called('messages')).toHaveLength(1);
  });
});

describe('keeping alive', () => {
  const alive = (shop: Shop) => shop.finish(keepAlive({ ...shop.work, appservice: 'turnpike' }));
  const heard = (shop: Shop) => pulseNoter(shop.work.gate)(shop.clock.now());

  it('asks nothing while transactions come', async () => {
    const shop = new Shop();
    await heard(shop);
    await alive(shop);
    expect(shop.called('ping')).toEqual([]);
  });

  it('pings when they stopped, or never came', async () => {
    const shop = new Shop();
    await alive(shop);
    expect(shop.called('ping')).toHaveLength(1);
    await heard(shop);
    await shop.clock.advance(3 * 60_000);
    await alive(shop);
    expect(shop.called('ping')).toHaveLength(2);
    expect(shop.called('messages')).toEqual([]);
  });

  it('notes since when the homeserver is away, and reads back what it may have lost', async () => {
    const shop = new Shop();
    shop.away = true;
    await alive(shop);
    const since = shop.clock.now();
    await shop.clock.advance(HOUR);
    await alive(shop);
    expect((await readPulse(shop.work.gate)).awaySince).toBe(since);
    expect(shop.counted.get('PingFailures')).toBe(2);
    expect(shop.logged.join()).not.toMatch(/token|body/);
    shop.away = false;
    shop.send(shop.direct, ANA, 'were you away?');
    await alive(shop);
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: were you away?']);
    expect((await readPulse(shop.work.gate)).awaySince).toBeUndefined();
    const read = shop.called('messages').length;
    await alive(shop);
    expect(shop.called('messages')).toHaveLength(read);
  });

  it('reads back from five minutes before that was seen', async () => {
    const shop = new Shop();
    shop.send(shop.direct, ANA, 'too old');
    await shop.clock.advance(2 * 60_000);
    shop.send(shop.direct, ANA, 'just lost');
    await shop.clock.advance(4 * 60_000);
    await noteAway(shop.work.gate, shop.clock.now());
    await alive(shop);
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: just lost']);
  });
});
