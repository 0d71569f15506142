import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import type { GateNumbers } from '../../functions/gate/options.ts';
import { entered, hasLeft, invalidate, lookAt, storedPicture } from '../../functions/gate/picture.ts';
import { namespace } from '../../functions/matrix/ids.ts';
import { memoryTable } from '../fakes/table.ts';
import { homeserver, type Room, refused, roomOf, unreachable } from './homeserver.ts';

const BOT = '@bot:hs';
const ROOM = '!room:hs';
const TTL = 60_000;

function gate(room: Room = roomOf([BOT, '@ana:hs', '@ben:hs'])) {
  const table = memoryTable();
  const server = homeserver();
  server.rooms.set(ROOM, room);
  const reader = { namespace: namespace(BOT, 'turnpike_'), isService: () => false };
  const stored = async (now = 0, groupRooms: GateNumbers['groupRooms'] = 'gate') =>
    storedPicture(await table.get(keys.picture(ROOM)), now, { groupRooms, roomInfoTtlMs: TTL });
  return {
    table,
    server,
    stored,
    async look(now = 0, groupRooms: GateNumbers['groupRooms'] = 'gate') {
      server.calls.splice(0);
      const matrix = server.client;
      const deps = { table, matrix, reader: { ...reader, readMembers: groupRooms !== 'answer' } };
      const looked = await lookAt(deps, ROOM, await stored(now, groupRooms), now);
      return { looked, read: server.calls.length > 0 };
    },
  };
}
const joined = (looked: Awaited<ReturnType<typeof lookAt>>) =>
  looked.kind === 'known' ? looked.picture.joined : looked.kind;

describe('a picture', () => {
  it('is read once, and again exactly when its time is over', async () => {
    const { look } = gate();
    expect((await look(0)).read).toBe(true);
    expect((await look(TTL - 1)).read).toBe(false);
    expect((await look(TTL)).read).toBe(true);
  });

  it('is stale from any state event on, until it was read again', async () => {
    const { look, table } = gate();
    await look();
    await invalidate(table, ROOM);
    expect((await look()).read).toBe(true);
    expect((await look()).read).toBe(false);
  });

  it('is not stored if the room changed while it was read', async () => {
    const { look, table, server } = gate();
    server.before = async (call) => {
      if (call === 'joined') await invalidate(table, ROOM);
    };
    expect(joined((await look()).looked)).toBe(3);
    server.before = () => undefined;
    server.rooms.set(ROOM, roomOf([BOT, '@ana:hs']));
    expect(joined((await look()).looked)).toBe(2);
  });

  it('of a slow read does not replace that of a later one', async () => {
    const { look, table, server } = gate();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    server.before = (call) => (call === 'invited' ? held : undefined);
    server.rooms.set(ROOM, roomOf([BOT, '@ana:hs']));
    const slow = look();
    await expect.poll(() => server.calls).toContain('invited');
    await invalidate(table, ROOM);
    server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs']));
    expect(joined((await look()).looked)).toBe(3);
    go();
    expect(joined((await slow).looked)).toBe(2);
    const after = await look();
    expect([joined(after.looked), after.read]).toEqual([3, false]);
  });

  it('is the last one, however old, where the room can’t be read, and none where there never was one', async () => {
    const { look, table, server } = gate();
    server.before = () => {
      throw unreachable();
    };
    expect((await look()).looked).toEqual({ kind: 'unreadable' });
    server.before = () => undefined;
    await look();
    server.before = () => {
      throw unreachable();
    };
    await invalidate(table, ROOM);
    expect(joined((await look(100 * TTL)).looked)).toBe(3);
    // The failure was not kept as an answer.
    server.before = () => undefined;
    expect((await look(100 * TTL)).read).toBe(true);
  });

  it.each([403, 404])(
    'does not help where the homeserver says %i: we are not in the room',
    async (status) => {
      const { look, table, server } = gate();
      await look();
      await invalidate(table, ROOM);
      server.before = () => {
        throw refused(status);
      };
      expect((await look()).looked).toEqual({ kind: 'gone' });
    },
  );

  it('read under the policy `answer` says nothing of who is there, and serves no other policy', async () => {
    const { look, stored } = gate(roomOf([BOT, '@ana:hs']));
    await look(0, 'answer');
    expect((await look(0, 'answer')).read).toBe(false);
    expect((await stored(0, 'gate')).picture).toBeUndefined();
    expect(joined((await look(0, 'gate')).looked)).toBe(2);
    expect((await look(0, 'answer')).read).toBe(false);
  });
});

describe('at once', () => {
  it('the bot’s leaving ends everything until it is seen to be back', async () => {
    const { look, table, server } = gate();
    await look();
    await invalidate(table, ROOM, { left: true });
    server.before = () => {
      throw unreachable();
    };
    expect((await look()).looked).toEqual({ kind: 'gone' });
    server.before = () => undefined;
    await invalidate(table, ROOM);
    expect(await hasLeft(table, ROOM)).toBe(true);
    await entered(table, ROOM);
    expect(await hasLeft(table, ROOM)).toBe(false);
    expect((await look()).read).toBe(true);
  });

  it('that it left is over when a read says it is there: it may have been told late', async () => {
    const { look, table } = gate();
    await invalidate(table, ROOM, { left: true });
    expect(joined((await look()).looked)).toBe(3);
    expect(await hasLeft(table, ROOM)).toBe(false);
  });

  it('a membership other than `join` means that we are not there, and is not stored', async () => {
    const { look, server } = gate(roomOf([BOT], { members: { [BOT]: { membership: 'leave' } } }));
    expect((await look()).looked).toEqual({ kind: 'gone' });
    server.rooms.set(ROOM, roomOf([BOT]));
    expect(joined((await look()).looked)).toBe(1);
  });

  it('encryption stays once it was seen, whatever a read says, also the first one', async () => {
    const before = gate();
    await invalidate(before.table, ROOM, { encrypted: true });
    expect((await before.look()).looked).toMatchObject({ picture: { encrypted: true } });
    expect((await before.look()).looked).toMatchObject({ picture: { encrypted: true } });

    const read = gate(
      roomOf([BOT, '@ana:hs'], { state: { 'm.room.encryption': { algorithm: 'm.megolm.v1.aes-sha2' } } }),
    );
    await read.look();
    read.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs']));
    await invalidate(read.table, ROOM);
    expect((await read.look()).looked).toMatchObject({ picture: { encrypted: true } });
  });

  it('what a room carries over from the one it replaced counts from its first look on', async () => {
    const { look, table } = gate();
    await entered(table, ROOM, { room: '!old:hs', direct: true });
    expect((await look()).looked).toMatchObject({ picture: { carriedDirect: true } });
    expect((await look()).looked).toMatchObject({ picture: { carriedDirect: true } });
  });
});
