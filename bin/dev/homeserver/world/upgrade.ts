/**
 * Replacing a room by one of another version: the new room names its predecessor, the old one gets a tombstone and
 * is closed for everyone without power. Nobody is invited to the new room, and its members do not move; aliases do
 * (https://spec.matrix.org/v1.16/client-server-api/#room-upgrades).
 */
import { authorize } from './authorize.ts';
import { type Content, isObject } from './event.ts';
import { creatorsAbove, level, levelsOf, POWER_LEVELS } from './power.ts';
import { createRoom } from './rooms.ts';
import { joinedRoom, type Room, stateEvent, type WorldState } from './state.ts';
import { append } from './timeline.ts';
import { type RoomVersion, roomVersion } from './versions.ts';

const COPIED = [
  'm.room.join_rules',
  'm.room.history_visibility',
  'm.room.guest_access',
  'm.room.name',
  'm.room.topic',
  'm.room.avatar',
  'm.room.encryption',
  'm.room.server_acl',
];

/** Returns the new room's id. Needs the level for a tombstone. */
export function upgrade(world: WorldState, user: string, roomId: string, newVersion: string): string {
  const version = roomVersion(newVersion);
  const room = joinedRoom(world, user, roomId);
  const state = (type: string, content: Content) => ({ type, sender: user, stateKey: '', content });
  const tombstone = (replacement: string) =>
    state('m.room.tombstone', { body: 'This room has been replaced', replacement_room: replacement });
  authorize(room, tombstone(''));

  const replacement = createRoom(world, user, {
    room_version: newVersion,
    creation_content: { ...carriedOver(room), predecessor: { room_id: roomId } },
    initial_state: [
      { type: POWER_LEVELS, content: levelsFor(version, user, room) },
      ...COPIED.flatMap((type) => stateEvent(room, type) ?? []),
    ],
  });
  append(world, room, tombstone(replacement));
  append(world, room, state(POWER_LEVELS, closed(levelsOf(room))));
  moveAliases(world, user, room, replacement);
  return replacement;
}

/** What the create event of a room says besides who made it and how. */
function carriedOver(room: Room): Content {
  const {
    room_version: _,
    creator: __,
    additional_creators: ___,
    predecessor: ____,
    ...rest
  } = stateEvent(room, 'm.room.create')!.content;
  return rest;
}

function levelsFor(version: RoomVersion, user: string, room: Room): Content {
  const levels = levelsOf(room);
  const users = new Map(Object.entries(isObject(levels.users) ? levels.users : {}));
  for (const creator of creatorsAbove(room)) users.set(creator, 100);
  if (version.creatorsAbove) users.delete(user);
  else users.set(user, 100);
  return { ...levels, users: Object.fromEntries(users) };
}

function closed(levels: Content): Content {
  const enough = Math.max(50, (level(levels.users_default) ?? 0) + 1);
  return {
    ...levels,
    events_default: Math.max(enough, level(levels.events_default) ?? 0),
    invite: Math.max(enough, level(levels.invite) ?? 0),
  };
}

function moveAliases(world: WorldState, user: string, room: Room, replacement: string): void {
  for (const [alias, target] of world.aliases) if (target === room.id) world.aliases.set(alias, replacement);
  const canonical = stateEvent(room, 'm.room.canonical_alias');
  if (!canonical) return;
  const event = { type: canonical.type, sender: user, stateKey: '' };
  append(world, room, { ...event, content: {} });
  append(world, world.rooms.get(replacement)!, { ...event, content: canonical.content });
}
