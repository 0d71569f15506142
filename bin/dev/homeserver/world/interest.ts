/**
 * Which events and rooms concern the service, by Synapse's rules: its user sent it, or is the one whose membership
 * changes, or is in the room now; or the room or one of its aliases lies in a namespace. So what was said before
 * the bot joined is never pushed, and the service's own events are.
 */

import { aliasesOf } from './aliases.ts';
import type { StoredEvent } from './event.ts';
import { joinedUsers, type WorldState } from './state.ts';

export function concernsService(world: WorldState, event: StoredEvent): boolean {
  const { service } = world;
  if (!service) return false;
  return (
    service.isOurs(event.sender) ||
    (event.type === 'm.room.member' && service.isOurs(event.stateKey ?? '')) ||
    roomConcernsService(world, event.room)
  );
}

export function roomConcernsService(world: WorldState, roomId: string): boolean {
  const { service } = world;
  const room = world.rooms.get(roomId);
  if (!service || !room) return false;
  return (
    service.isOurRoom(roomId) ||
    aliasesOf(world, roomId).some(service.isOurAlias) ||
    joinedUsers(room).some(service.isOurs)
  );
}
