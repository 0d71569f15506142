/** Upgrades: which room the bot follows a tombstone to, what it carries over, and what it leaves again. */
import { describe, expect, it } from 'vitest';
import { ANA, BEN, BOT, CEM } from './people.ts';
import { Shop } from './shop.ts';

const isIn = (shop: Shop, room: string) => shop.rooms.joinedRooms(BOT).includes(room);

/** A room that we made direct, with two people in it, and all the power Ana’s. */
async function madeDirect(shop: Shop): Promise<string> {
  const room = shop.rooms.createRoom(BOT, { creation_content: { is_direct: true }, invite: [ANA, BEN] });
  for (const user of [ANA, BEN]) shop.rooms.join(user, room);
  const levels = shop.rooms.stateEvent(BOT, room, 'm.room.power_levels').content;
  shop.rooms.setState(BOT, room, 'm.room.power_levels', '', { ...levels, users: { [ANA]: 150 } });
  await shop.push(room, shop.send(room, ANA, 'hello'));
  return room;
}

/** Others come to a room of Ana’s, so that it is a group by its members. */
function fill(shop: Shop, room: string): void {
  for (const user of [BEN, CEM]) {
    shop.rooms.invite(ANA, room, user);
    shop.rooms.join(user, room);
  }
}

const pushLast = (shop: Shop, room: string) => shop.push(room, shop.rooms.timeline(room).at(-1)!.id);
/** A tombstone that says where a room went. */
async function moved(shop: Shop, room: string, by: string, replacement_room: string): Promise<void> {
  shop.rooms.setState(by, room, 'm.room.tombstone', '', { body: 'moved', replacement_room });
  await pushLast(shop, room);
}
const invitation = (shop: Shop, room: string) =>
  shop.push(room, shop.rooms.timeline(room).find(({ stateKey }) => stateKey === BOT)!.id);

describe('an upgrade', () => {
  async function upgraded(shop: Shop, room: string, by = ANA) {
    const next = shop.rooms.upgrade(by, room, '12');
    shop.rooms.invite(by, next, BOT);
    const tombstone = shop.rooms.timeline(room).find(({ type }) => type === 'm.room.tombstone')!;
    return { next, tombstone: () => shop.push(room, tombstone.id) };
  }

  it('is followed, and its messages are answered', async () => {
    const shop = new Shop();
    const { next, tombstone } = await upgraded(shop, shop.group);
    fill(shop, next);
    await tombstone();
    await shop.run();
    expect(isIn(shop, next)).toBe(true);
    await shop.ask('hello', { room: next });
    await shop.run();
    expect(shop.bodies(next)).toEqual(['ana said: hello']);
  });

  it('of a room that was made direct by us is direct again, whoever comes', async () => {
    const shop = new Shop();
    const room = await madeDirect(shop);
    const { next, tombstone } = await upgraded(shop, room);
    fill(shop, next);
    await tombstone();
    await shop.run();
    await shop.push(next, shop.send(next, ANA, 'no mention'));
    await shop.run();
    expect(shop.bodies(next).at(-1)).toContain('no mention');
  });

  it('into which the bot is invited only later is direct again too', async () => {
    const shop = new Shop();
    const room = await madeDirect(shop);
    const next = shop.rooms.upgrade(ANA, room, '12');
    await shop.push(room, ...shop.rooms.timeline(room).map(({ id }) => id));
    await shop.run();
    expect(isIn(shop, next)).toBe(false);
    shop.rooms.invite(ANA, next, BOT);
    fill(shop, next);
    await invitation(shop, next);
    await shop.run();
    await shop.push(next, shop.send(next, ANA, 'no mention'));
    await shop.run();
    expect(shop.bodies(next).at(-1)).toContain('no mention');
  });

  it('that nobody announced carries nothing over: an inviter’s room may name any predecessor', async () => {
    const shop = new Shop();
    const room = shop.rooms.createRoom(BOT, { creation_content: { is_direct: true }, invite: [ANA] });
    shop.rooms.join(ANA, room);
    await shop.push(room, shop.send(room, ANA, 'hello'));
    await shop.run();
    const creation_content = { predecessor: { room_id: room } };
    const next = shop.rooms.createRoom(ANA, { creation_content, invite: [BOT] });
    fill(shop, next);
    await invitation(shop, next);
    await shop.run();
    await shop.push(next, shop.send(next, ANA, 'no mention'));
    await shop.run();
    expect([isIn(shop, next), shop.posts(next)]).toEqual([true, []]);
  });

  it('whose new room names another predecessor, or none, is left again', async () => {
    const shop = new Shop();
    const other = shop.rooms.createRoom(ANA, { preset: 'public_chat' });
    await moved(shop, shop.group, ANA, other);
    await shop.run();
    expect(isIn(shop, other)).toBe(false);
    expect(shop.rooms.timeline(other).filter(({ stateKey }) => stateKey === BOT)).toHaveLength(2);
    expect(shop.posts(other)).toEqual([]);
  });

  it('to a room made by somebody with power in the old one is followed, by anybody else is left again', async () => {
    for (const [power, joins] of [
      [100, true],
      [0, false],
    ] as const) {
      const shop = new Shop();
      const levels = shop.rooms.stateEvent(ANA, shop.group, 'm.room.power_levels').content;
      const given = { ...levels, users: { ...(levels.users as object), [BEN]: power }, events: {} };
      shop.rooms.setState(ANA, shop.group, 'm.room.power_levels', '', { ...given, state_default: 50 });
      const creation_content = { predecessor: { room_id: shop.group } };
      const next = shop.rooms.createRoom(BEN, { preset: 'public_chat', creation_content });
      await moved(shop, shop.group, ANA, next);
      await shop.run();
      expect([power, isIn(shop, next)]).toEqual([power, joins]);
    }
  });

  it('that names a room in which the bot is already does not make it leave that', async () => {
    const shop = new Shop();
    // In a room of his own Ben says that it moved to where the bot is with others.
    const own = shop.rooms.createRoom(BEN, { invite: [BOT] });
    shop.rooms.join(BOT, own);
    await moved(shop, own, BEN, shop.direct);
    await shop.run();
    expect(isIn(shop, shop.direct)).toBe(true);
  });

  it('waits a minute for a homeserver that is away', async () => {
    const shop = new Shop();
    const { next, tombstone } = await upgraded(shop, shop.group);
    await tombstone();
    shop.away = true;
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'again', seconds: 60 });
    shop.away = false;
    await shop.clock.advance(60_000);
    await shop.run();
    expect(isIn(shop, next)).toBe(true);
  });

  it('to a room that can’t be joined changes nothing', async () => {
    const shop = new Shop();
    await moved(shop, shop.group, ANA, '!none:hs');
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
  });
});
