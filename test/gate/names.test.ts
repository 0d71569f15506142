import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { readName, storedName } from '../../functions/gate/names.ts';
import { memoryTable } from '../fakes/table.ts';
import { homeserver, roomOf, unreachable } from './homeserver.ts';

const ROOM = '!room:hs';
const TTL = 60_000;

function names() {
  const table = memoryTable();
  const server = homeserver();
  server.rooms.set(ROOM, roomOf(['@ana:hs'], { members: { '@ana:hs': { displayname: 'Ana' } } }));
  return {
    server,
    read: (user = '@ana:hs', generation = 1) =>
      readName({ table, matrix: server.client }, ROOM, user, generation, 0),
    stored: async (user = '@ana:hs', generation = 1, now = 0) =>
      storedName(await table.get(keys.name(ROOM, user)), generation, now, TTL),
  };
}

describe('a name', () => {
  it('is that of the room, else of the profile, else the user id', async () => {
    const { read, server } = names();
    server.profiles['@ben:hs'] = 'Ben';
    expect([await read(), await read('@ben:hs'), await read('@cy:hs')]).toEqual(['Ana', 'Ben', '@cy:hs']);
  });

  it('is kept until its time is over, or the room has changed', async () => {
    const { read, stored } = names();
    expect(await stored()).toBeUndefined();
    await read();
    expect(await stored('@ana:hs', 1, TTL - 1)).toBe('Ana');
    expect(await stored('@ana:hs', 1, TTL)).toBeUndefined();
    expect(await stored('@ana:hs', 2)).toBeUndefined();
    expect(await stored('@ben:hs')).toBeUndefined();
  });

  it.each(['member @ben:hs', 'profile'])(
    'that could not be read is the user id for once: %s',
    async (failing) => {
      const { read, stored, server } = names();
      server.profiles['@ben:hs'] = 'Ben';
      server.before = (call) => {
        if (call === failing) throw unreachable();
      };
      expect(await read('@ben:hs')).toBe('@ben:hs');
      expect(await stored('@ben:hs')).toBeUndefined();
    },
  );

  it('read before the room changed is not used after it', async () => {
    const { read, stored } = names();
    await read('@ana:hs', 2);
    // A slower read, begun earlier, ends later.
    await read('@ana:hs', 1);
    expect(await stored('@ana:hs', 2)).toBeUndefined();
  });
});
