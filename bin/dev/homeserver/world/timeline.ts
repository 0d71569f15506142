/**
 * Storing an event: it gets its id, time and place, takes effect on the room's state, and is told to whoever
 * listens. Whether its sender may send it was asked before; only its size is checked here, since that counts for
 * every event. Listeners run before the call returns and must not throw.
 */
import { checkSize } from './content.ts';
import type { Draft, StoredEvent } from './event.ts';
import { pruned } from './prune.ts';
import { type Room, stateId, type WorldState } from './state.ts';
import type { RoomVersion } from './versions.ts';

export function append(world: WorldState, room: Room, draft: Draft): StoredEvent {
  checkSize(room, draft);
  const replaced =
    draft.stateKey === undefined ? undefined : room.state.get(stateId(draft.type, draft.stateKey));
  const event: StoredEvent = {
    ...draft,
    content: structuredClone(draft.content),
    id: newEventId(world, room, draft),
    room: room.id,
    ts: world.clock.now(),
    position: ++world.position,
    replaces: replaced?.id,
  };
  apply(room, event);
  for (const listener of [...world.onEvent]) listener(event);
  return event;
}

/** What a stored event does to its room; also how a room kept on disk is built again. */
export function apply(room: Room, event: StoredEvent): void {
  room.timeline.push(event);
  room.events.set(event.id, event);
  if (event.stateKey !== undefined) {
    room.state.set(stateId(event.type, event.stateKey), event);
    if (event.type === 'm.room.member')
      room.memberships.set(event.stateKey, [...(room.memberships.get(event.stateKey) ?? []), event]);
  }
  const target = event.redacts === undefined ? undefined : room.events.get(event.redacts);
  if (target && !target.redactedBy) {
    target.content = pruned(room.version, target);
    target.redactedBy = event.id;
  }
}

function newEventId(world: WorldState, room: Room, draft: Draft): string {
  if (room.version.creatorsAbove && draft.type === 'm.room.create') return `$${room.id.slice(1)}`;
  return opaqueEventId(world, room.version);
}

function opaqueEventId(world: WorldState, { eventIds }: RoomVersion): string {
  const hash = world.random.id(43);
  if (eventIds === 'server') return `$${hash.slice(0, 18)}:${world.serverName}`;
  return eventIds === 'base64' ? `$${hash.replaceAll('-', '+').replaceAll('_', '/')}` : `$${hash}`;
}
