/** A world with alice, bob and the bot of a service, and the words tests say in it. */

import type { MatrixFault } from '../../../bin/dev/homeserver/world/fault.ts';
import type { Registration } from '../../../bin/dev/homeserver/world/namespaces.ts';
import { createWorld, type World } from '../../../bin/dev/homeserver/world.ts';
import { seededRandom, type VirtualClock, virtualClock } from './virtual-clock.ts';

export const serverName = 'hs.test';
export const alice = '@alice:hs.test';
export const bob = '@bob:hs.test';
export const bot = '@bot:hs.test';

export const registration: Registration = {
  id: 'turnpike',
  url: 'http://127.0.0.1:1',
  as_token: 'as-token',
  hs_token: 'hs-token',
  sender_localpart: 'bot',
  namespaces: {
    users: [
      { exclusive: true, regex: '@bot:hs\\.test' },
      { exclusive: true, regex: '@bot_.*:hs\\.test' },
    ],
    aliases: [{ exclusive: true, regex: '#bot_.*:hs\\.test' }],
    rooms: [],
  },
};

export type SmallWorld = { readonly world: World; readonly clock: VirtualClock };

export function smallWorld(more: Partial<Registration> = {}, seed = 1): SmallWorld {
  const clock = virtualClock();
  const world = createWorld({
    serverName,
    registration: { ...registration, ...more },
    clock,
    random: seededRandom(seed),
  });
  populate(world);
  return { world, clock };
}

export function populate(world: World): void {
  world.register('alice');
  world.register('bob');
  world.register('bot', 'service');
}

export const text = (body: string) => ({ msgtype: 'm.text', body });

export const say = (world: World, user: string, room: string, body: string) =>
  world.send(user, room, 'm.room.message', text(body));

/** A room of alice's, of a version, with others joined. */
export function roomOf(world: World, others: readonly string[] = [], room_version = '12'): string {
  const room = world.createRoom(alice, { invite: others, room_version });
  for (const other of others) world.join(other, room);
  return room;
}

/** The fault an operation throws, as plain data. */
export function faultOf(operation: () => unknown): { status: number; errcode: string; error: string } {
  try {
    operation();
  } catch (fault) {
    const { status, errcode, error } = fault as MatrixFault;
    if (errcode === undefined) throw fault;
    return { status, errcode, error };
  }
  throw new Error('it was not refused');
}
