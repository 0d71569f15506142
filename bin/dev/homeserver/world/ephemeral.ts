/**
 * Typing notices and receipts. Nothing is set off when a typing notice runs out: whoever looks next finds it gone
 * (`expireTyping`), since the world has no timers.
 */
import type { Content } from './event.ts';
import { forbidden, invalid } from './fault.ts';
import { joinedRoom, membershipOf, type Receipt, type Room, type WorldState } from './state.ts';

export function setTyping(
  world: WorldState,
  user: string,
  roomId: string,
  typing: boolean,
  timeoutMs = 30_000,
): void {
  const room = joinedRoom(world, user, roomId);
  expireTyping(world, room);
  const was = room.typing.has(user);
  if (typing) room.typing.set(user, world.clock.now() + timeoutMs);
  else room.typing.delete(user);
  if (was !== typing) announceTyping(world, room);
}

export function typingUsers(world: WorldState, roomId: string): string[] {
  const room = world.rooms.get(roomId);
  if (!room) return [];
  expireTyping(world, room);
  return [...room.typing.keys()];
}

/** Takes out who has stopped by itself, and says so once. */
export function expireTyping(world: WorldState, room: Room): void {
  const now = world.clock.now();
  const over = [...room.typing].filter(([, until]) => until <= now);
  for (const [user] of over) room.typing.delete(user);
  if (over.length > 0) announceTyping(world, room);
}

export const typingContent = (room: Room): Content => ({ user_ids: [...room.typing.keys()] });

function announceTyping(world: WorldState, room: Room): void {
  room.typingPosition = ++world.position;
  tell(world, room, 'm.typing', typingContent(room));
}

const RECEIPT_TYPES = ['m.fully_read', 'm.read', 'm.read.private'];

/** The newest receipt of a user, type and thread stands. An unknown event is accepted, as by Synapse. */
export function sendReceipt(
  world: WorldState,
  user: string,
  roomId: string,
  type: string,
  event: string,
  thread?: string,
): void {
  if (!RECEIPT_TYPES.includes(type)) throw invalid(`Receipt type must be ${RECEIPT_TYPES.join(', ')}`);
  const room = world.rooms.get(roomId);
  if (!room || membershipOf(room, user) !== 'join')
    throw forbidden("You don't have permission to access that event.");
  if (!room.events.has(event)) return;
  const ts = world.clock.now();
  const receipt = { user, type, event, thread, ts, position: ++world.position };
  room.receipts.set(JSON.stringify([user, type, thread]), receipt);
  if (type === 'm.read') tell(world, room, 'm.receipt', receiptContent([receipt]));
}

/** Receipts in the nested form of `m.receipt`. */
export function receiptContent(receipts: readonly Receipt[]): Content {
  const content: Record<string, Record<string, Record<string, unknown>>> = {};
  for (const { event, type, user, ts, thread } of receipts) {
    const ofEvent = content[event] ?? {};
    const said = thread === undefined ? { ts } : { ts, thread_id: thread };
    content[event] = { ...ofEvent, [type]: { ...ofEvent[type], [user]: said } };
  }
  return content;
}

function tell(world: WorldState, room: Room, type: string, content: Content): void {
  for (const listener of [...world.onEphemeral]) listener({ type, room_id: room.id, content });
}
