/** Invites: which rooms the bot enters, and what it reads back there. */
import { describe, expect, it } from 'vitest';
import { hasLeft } from '../../functions/gate/picture.ts';
import { ANA, BEN, BOT, MENTION } from './people.ts';
import { Shop, type ShopOptions } from './shop.ts';

const FOREIGN = '@eve:elsewhere';

const isIn = (shop: Shop, room: string) => shop.rooms.joinedRooms(BOT).includes(room);
/** Everything that has happened in a room is pushed. */
const pushAll = (shop: Shop, room: string) =>
  shop.push(room, ...shop.rooms.timeline(room).map(({ id }) => id));

/** A room to which the bot is invited, and what was said in it before anybody came. */
async function invited(options: ShopOptions = {}, { by = ANA, others = [BEN], more = {} } = {}) {
  const shop = new Shop(options);
  if (by === FOREIGN) shop.rooms.addRemoteUser(FOREIGN, 'Eve');
  const room = shop.rooms.createRoom(by, { preset: 'private_chat', invite: [BOT, ...others], ...more });
  for (const other of others) shop.rooms.join(other, room);
  const invite = shop.rooms.timeline(room).find(({ stateKey }) => stateKey === BOT)!;
  return { shop, room, invite: () => shop.push(room, invite.id) };
}

describe('an invite', () => {
  it('of our own server’s is followed, with that server as the way', async () => {
    const { shop, room, invite } = await invited();
    const vias: unknown[] = [];
    const { work } = shop;
    const join = work.matrix.join;
    await invite();
    expect(isIn(shop, room)).toBe(false);
    Object.assign(work.matrix, {
      join: (...given: Parameters<typeof join>) => vias.push(given[1]) && join(...given),
    });
    await shop.run();
    expect(isIn(shop, room)).toBe(true);
    expect(vias).toEqual([['hs']]);
  });

  it('of a foreign one is refused, unless it is allowed', async () => {
    for (const [allowed, joins] of [
      ['', false],
      ['@*:elsewhere', true],
      ['@ana:hs', false],
    ] as const) {
      const env = allowed ? { MATRIX_ALLOWED_INVITERS: allowed } : {};
      const { shop, room, invite } = await invited({ env }, { by: FOREIGN });
      await invite();
      await shop.run();
      expect([allowed, isIn(shop, room), shop.counted.get('InvitesRefused')]).toEqual([
        allowed,
        joins,
        joins ? undefined : 1,
      ]);
    }
  });

  it('that comes twice is followed once', async () => {
    const { shop, room, invite } = await invited();
    await invite();
    await invite();
    expect(shop.queues.turns).toHaveLength(1);
    await shop.run();
    expect(shop.rooms.timeline(room).filter(({ stateKey }) => stateKey === BOT)).toHaveLength(2);
  });

  it('that is refused for a moment is tried again', async () => {
    const { shop, room, invite } = await invited();
    await invite();
    shop.refuse('join', 403, { times: 3 });
    await shop.run();
    expect(isIn(shop, room)).toBe(true);
  });

  it('that is refused for good is left, and logged', async () => {
    const { shop, room, invite } = await invited();
    await invite();
    shop.refuse('join', 403, { times: 9 });
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect([isIn(shop, room), shop.logged.length]).toEqual([false, 1]);
  });

  it('of a homeserver that is away waits a minute', async () => {
    const { shop, room, invite } = await invited();
    await invite();
    shop.away = true;
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'again', seconds: 60 });
    shop.away = false;
    await shop.clock.advance(60_000);
    await shop.run();
    expect(isIn(shop, room)).toBe(true);
  });
});

describe('what was said before the join', () => {
  it('is read back and answered, from the invite on', async () => {
    const shop = new Shop();
    const room = shop.rooms.createRoom(ANA, { preset: 'private_chat', invite: [BEN] });
    shop.rooms.join(BEN, room);
    shop.send(room, ANA, 'long ago', MENTION);
    await shop.clock.advance(60_000);
    shop.rooms.invite(ANA, room, BOT);
    await shop.push(room, shop.rooms.timeline(room).at(-1)!.id);
    await shop.clock.advance(1_000);
    shop.send(room, ANA, 'are you here?', MENTION);
    shop.send(room, BEN, 'who knows');
    await shop.run();
    expect(shop.bodies(room)).toEqual(['ana said: are you here?']);
  });

  it('is decided once, though it is pushed as well', async () => {
    const { shop, room, invite } = await invited({}, { others: [] });
    await invite();
    const first = shop.send(room, ANA, 'hello');
    await shop.run();
    await shop.push(room, first);
    await shop.run();
    expect(shop.bodies(room)).toEqual(['ana said: hello']);
  });
});

describe('an encrypted room', () => {
  const encrypted = { initial_state: [{ type: 'm.room.encryption', content: { algorithm: 'm.megolm' } }] };

  it.each([
    ['a direct one', {}, [], 1],
    ['a group under `gate`', {}, [BEN, '@cem:hs'], 1],
    ['a group under `silent`', { MATRIX_GROUP_ROOMS: 'silent' }, [BEN, '@cem:hs'], 0],
  ])('gets one notice when the bot joins: %s', async (_, env, others, notices) => {
    const { shop, room, invite } = await invited({ env }, { others: [...others], more: encrypted });
    await invite();
    await shop.run();
    await pushAll(shop, room);
    await shop.run();
    expect(shop.posts(room).map(({ msgtype }) => msgtype)).toEqual(
      Array.from({ length: notices }, () => 'm.notice'),
    );
    if (notices) expect(shop.bodies(room)[0]).toMatch(/cannot read encrypted/);
  });
});

describe('a kick', () => {
  it('is no reason to come back, an invite is', async () => {
    const shop = new Shop();
    shop.rooms.kick(ANA, shop.group, BOT);
    await shop.push(shop.group, shop.rooms.timeline(shop.group).at(-1)!.id);
    await shop.run();
    expect(isIn(shop, shop.group)).toBe(false);
    expect(await hasLeft(shop.work.gate, shop.group)).toBe(true);
    shop.rooms.invite(ANA, shop.group, BOT);
    await shop.push(shop.group, shop.rooms.timeline(shop.group).at(-1)!.id);
    await shop.run();
    expect(isIn(shop, shop.group)).toBe(true);
    expect(await hasLeft(shop.work.gate, shop.group)).toBe(false);
  });
});
