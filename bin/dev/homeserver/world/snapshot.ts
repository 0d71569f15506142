/**
 * The world as JSON and back, so that the dev host keeps its rooms over a restart. Users, tokens, rooms, aliases
 * and files are kept. Client transaction ids, typing, receipts and OpenID tokens are not, as in a homeserver that
 * holds them in memory.
 */
import type { StoredEvent } from './event.ts';
import { emptyRoom } from './rooms.ts';
import type { Session, User, WorldState } from './state.ts';
import { apply } from './timeline.ts';
import { roomVersion } from './versions.ts';

export type WorldSnapshot = {
  readonly format: 1;
  readonly serverName: string;
  readonly position: number;
  readonly users: readonly User[];
  readonly sessions: readonly (readonly [token: string, session: Session])[];
  readonly rooms: readonly {
    readonly id: string;
    readonly version: string;
    readonly timeline: readonly StoredEvent[];
  }[];
  readonly aliases: readonly (readonly [alias: string, room: string])[];
  readonly media: readonly {
    readonly id: string;
    readonly type: string;
    readonly name?: string;
    readonly base64: string;
  }[];
};

/** It shares what it shows with the world: write it down before the world goes on. */
export function snapshot(world: WorldState): WorldSnapshot {
  return {
    format: 1,
    serverName: world.serverName,
    position: world.position,
    users: [...world.users.values()],
    sessions: [...world.sessions],
    rooms: [...world.rooms.values()].map(({ id, version, timeline }) => ({
      id,
      version: version.id,
      timeline,
    })),
    aliases: [...world.aliases],
    media: [...world.media].map(([id, { type, name, bytes }]) => ({
      id,
      type,
      ...(name === undefined ? {} : { name }),
      base64: Buffer.from(bytes).toString('base64'),
    })),
  };
}

/** Fills an empty world. Another server's snapshot, or another format, is refused. */
export function restore(world: WorldState, from: WorldSnapshot): void {
  if (from.format !== 1 || from.serverName !== world.serverName)
    throw new TypeError(`Not a snapshot of ${world.serverName} in format 1`);
  world.position = from.position;
  for (const user of from.users) world.users.set(user.id, { ...user });
  for (const [token, session] of from.sessions) world.sessions.set(token, session);
  for (const { id, version, timeline } of from.rooms) {
    const room = emptyRoom(id, roomVersion(version));
    for (const event of timeline) apply(room, { ...event });
    world.rooms.set(id, room);
  }
  for (const [alias, room] of from.aliases) world.aliases.set(alias, room);
  for (const { id, type, name, base64 } of from.media)
    world.media.set(id, { type, name, bytes: Buffer.from(base64, 'base64') });
}
