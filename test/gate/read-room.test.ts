import { describe, expect, it } from 'vitest';
import { type RoomReader, readRoom, roomKindOf } from '../../functions/gate/read-room.ts';
import { globs, namespace } from '../../functions/matrix/ids.ts';
import { homeserver, type Room, refused, roomOf, unreachable } from './homeserver.ts';

const BOT = '@bot:hs';
const reader: RoomReader = {
  namespace: namespace(BOT, 'turnpike_'),
  isService: globs(['@bridge-*:hs']),
  readMembers: true,
};
const aliases = { '#turnpike_ana:hs': '!room:hs', '#turnpike_ben:hs': '!other:hs' };

async function read(room: Room, more: Partial<RoomReader> = {}) {
  const server = homeserver();
  server.rooms.set('!room:hs', room);
  Object.assign(server.aliases, aliases);
  const facts = await readRoom(server.client, { ...reader, ...more }, '!room:hs');
  return { facts, server, kind: roomKindOf({ ...facts, carriedDirect: false }) };
}
const kindOf = async (joined: readonly string[], more: Partial<Room> = {}) =>
  (await read(roomOf([BOT, ...joined], more))).kind;

describe('a room is direct', () => {
  it('while at most two count, joined and invited', async () => {
    expect(await kindOf(['@ana:hs'])).toBe('direct');
    expect(await kindOf([], { invited: ['@ana:hs'] })).toBe('direct');
    expect(await kindOf(['@ana:hs', '@ben:hs'])).toBe('group');
    expect(await kindOf(['@ana:hs'], { invited: ['@ben:hs'] })).toBe('group');
  });

  it('whatever service members there are: listed, and ours or named by the operator', async () => {
    const functional = (...service: unknown[]) => ({
      state: { 'io.element.functional_members': { service_members: service } },
    });
    const people = ['@ana:hs', '@turnpike_log:hs', '@bridge-1:hs'];
    expect(await kindOf(people)).toBe('group');
    expect(await kindOf(people, functional('@turnpike_log:hs', '@bridge-1:hs', 7))).toBe('direct');
    expect(await kindOf(['@ana:hs', '@ben:hs'], functional('@ben:hs'))).toBe('group');
    expect(await kindOf(['@ana:hs'], { invited: ['@bridge-2:hs'], ...functional('@bridge-2:hs') })).toBe(
      'direct',
    );
    // The bot itself always counts.
    expect(await kindOf(['@ana:hs', '@ben:hs'], functional(BOT))).toBe('group');
  });

  it('if one of ours created it so; anybody else’s `is_direct` is a claim', async () => {
    const made = (sender: string, direct: unknown) => ({
      creation: { sender, content: { is_direct: direct } },
    });
    const people = ['@ana:hs', '@ben:hs'];
    expect(await kindOf(people, made(BOT, true))).toBe('direct');
    expect(await kindOf(people, made('@turnpike_maker:hs', true))).toBe('direct');
    expect(await kindOf(people, made('@ana:hs', true))).toBe('group');
    expect(await kindOf(people, made('@turnpike_maker:evil', true))).toBe('group');
    expect(await kindOf(people, made(BOT, 'true'))).toBe('group');
    expect(await kindOf(['@ana:hs'], made('@ana:hs', true))).toBe('direct');
  });

  it('if its canonical alias is ours and the directory names this room', async () => {
    const called = (alias: unknown) => ({ state: { 'm.room.canonical_alias': { alias } } });
    const people = ['@ana:hs', '@ben:hs'];
    expect(await kindOf(people, called('#turnpike_ana:hs'))).toBe('direct');
    expect(await kindOf(people, called('#turnpike_ben:hs'))).toBe('group');
    expect(await kindOf(people, called('#turnpike_gone:hs'))).toBe('group');
    expect(await kindOf(people, called('#x_turnpike_ana:hs'))).toBe('group');
    expect(await kindOf(people, called(['#turnpike_ana:hs']))).toBe('group');
  });

  it('asks the directory about our own aliases only', async () => {
    const { server } = await read(
      roomOf([BOT, '@ana:hs'], { state: { 'm.room.canonical_alias': { alias: '#turnpike_ana:evil' } } }),
    );
    expect(server.calls).not.toContain('alias');
  });

  it('never if there are more people than are read', async () => {
    expect(await kindOf(['@ana:hs'], { crowded: true })).toBe('group');
  });
});

describe('a read of a room', () => {
  it('asks for single state events and the members, the invited only where they could make a difference', async () => {
    const group = await read(roomOf([BOT, '@ana:hs', '@ben:hs']));
    expect(group.server.calls.toSorted()).toEqual([
      'creation',
      'io.element.functional_members',
      'joined',
      'm.room.canonical_alias',
      'm.room.encryption',
      'm.room.power_levels',
      'm.room.tombstone',
      `member ${BOT}`,
    ]);
    expect((await read(roomOf([BOT, '@ana:hs']))).server.calls).toContain('invited');
  });

  it('reads no members where they do not matter', async () => {
    const { facts, server } = await read(roomOf([BOT, '@ana:hs']), { readMembers: false });
    expect(server.calls).not.toContain('joined');
    expect(server.calls).not.toContain('invited');
    expect(facts).toMatchObject({ joined: 0, membersRead: false });
  });

  it('says what else there is to know', async () => {
    const { facts } = await read(
      roomOf([BOT, '@ana:hs', '@ben:hs'], {
        creation: {
          sender: '@ana:hs',
          content: { type: 'm.space', room_version: '11' },
        },
        state: {
          'm.room.encryption': { algorithm: 'm.megolm.v1.aes-sha2' },
          'm.room.tombstone': { replacement_room: '!new:hs' },
          'm.room.power_levels': { events_default: 1 },
        },
      }),
    );
    expect(facts).toMatchObject({
      membership: 'join',
      joined: 3,
      counted: 3,
      space: true,
      encrypted: true,
      tombstoned: true,
      power: { events_default: 1 },
    });
  });

  it('takes a tombstone that was redacted for none', async () => {
    const { facts } = await read(roomOf([BOT, '@ana:hs'], { state: { 'm.room.tombstone': {} } }));
    expect(facts.tombstoned).toBe(false);
  });

  it.each([
    'creation',
    'joined',
    'invited',
    'alias',
    'm.room.power_levels',
    'm.room.canonical_alias',
    'm.room.encryption',
    'm.room.tombstone',
    'io.element.functional_members',
    `member ${BOT}`,
  ])('fails as a whole if one call fails: %s', async (failing) => {
    const server = homeserver();
    server.rooms.set(
      '!room:hs',
      roomOf([BOT, '@ana:hs'], { state: { 'm.room.canonical_alias': { alias: '#turnpike_ana:hs' } } }),
    );
    Object.assign(server.aliases, aliases);
    for (const error of [unreachable(), refused(403)]) {
      server.before = (call) => {
        if (call === failing) throw error;
      };
      await expect(readRoom(server.client, reader, '!room:hs')).rejects.toBe(error);
    }
  });
});
