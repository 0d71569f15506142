/**
 * Becoming a member and ceasing to be one: invite, join, leave, kick, ban, unban. A change that changes nothing is
 * accepted and makes no event (https://spec.matrix.org/v1.16/client-server-api/#room-membership).
 */
import { isDeepStrictEqual } from 'node:util';
import type { Content, StoredEvent, StrippedEvent } from './event.ts';
import { forbidden, invalid, notFound } from './fault.ts';
import { powerOf, powerTo } from './power.ts';
import { type Membership, membershipOf, type Room, stateEvent, type WorldState } from './state.ts';
import { append } from './timeline.ts';
import { isUserId, profileContent } from './users.ts';

export function invite(
  world: WorldState,
  user: string,
  roomId: string,
  target: string,
  reason?: string,
): void {
  inviteWith(world, user, roomId, target, withReason(reason));
}

/** `more` is what the invitation says besides: a reason, `is_direct`. */
export function inviteWith(
  world: WorldState,
  user: string,
  roomId: string,
  target: string,
  more: Content,
): void {
  if (!isUserId(target)) throw invalid("Expected UserID string to start with '@'", 'M_INVALID_PARAM');
  const room = insideRoom(world, user, roomId);
  const membership = membershipOf(room, target);
  if (membership === 'ban') throw forbidden('Cannot invite user who was banned', 'M_BAD_STATE');
  if (membership === 'join') throw forbidden(`${target} is already in the room.`);
  if (powerOf(room, user) < powerTo(room, 'invite'))
    throw forbidden("You don't have permission to invite users");
  change(world, room, user, target, 'invite', { ...profileContent(world, target), ...more });
}

/** By room id; a room that nobody here is in cannot be joined (404). Joining again is accepted. */
export function join(world: WorldState, user: string, roomId: string, reason?: string): void {
  const room = world.rooms.get(roomId);
  if (!room)
    throw notFound(
      "Can't join remote room because no servers that are in the room have been provided.",
      'M_UNKNOWN',
    );
  const membership = membershipOf(room, user);
  if (membership === 'join') return;
  if (membership === 'ban') throw forbidden('Cannot join user who was banned', 'M_BAD_STATE');
  const open = stateEvent(room, 'm.room.join_rules')?.content.join_rule === 'public';
  if (!open && membership !== 'invite') throw forbidden('You are not invited to this room.');
  change(world, room, user, user, 'join', { ...profileContent(world, user), ...withReason(reason) });
}

/** Also refuses an invitation. */
export function leave(world: WorldState, user: string, roomId: string, reason?: string): void {
  const room = world.rooms.get(roomId);
  const membership = room && membershipOf(room, user);
  if (!room || (membership !== 'join' && membership !== 'invite'))
    throw forbidden(`${user} not in room ${roomId}.`);
  change(world, room, user, user, 'leave', withReason(reason));
}

export function kick(world: WorldState, user: string, roomId: string, target: string, reason?: string): void {
  const room = insideRoom(world, user, roomId);
  const membership = membershipOf(room, target);
  if (membership !== 'join' && membership !== 'invite') throw forbidden('The target user is not in the room');
  if (!outranks(room, user, target, 'kick')) throw forbidden(`You cannot kick user ${target}.`);
  change(world, room, user, target, 'leave', withReason(reason));
}

export function ban(world: WorldState, user: string, roomId: string, target: string, reason?: string): void {
  const room = insideRoom(world, user, roomId);
  if (!outranks(room, user, target, 'ban')) throw forbidden(`You don't have permission to ban`);
  change(world, room, user, target, 'ban', withReason(reason));
}

export function unban(
  world: WorldState,
  user: string,
  roomId: string,
  target: string,
  reason?: string,
): void {
  const room = insideRoom(world, user, roomId);
  const membership = membershipOf(room, target) ?? 'leave';
  if (membership !== 'ban')
    throw forbidden(`Cannot unban user who was not banned (membership=${membership})`, 'M_BAD_STATE');
  if (!outranks(room, user, target, 'ban')) throw forbidden(`You don't have permission to ban`);
  change(world, room, user, target, 'leave', withReason(reason));
}

/** A member event sent as plain state: the same rules by what it says. Returns the event that then stands. */
export function setMember(
  world: WorldState,
  user: string,
  roomId: string,
  target: string,
  content: Content,
): StoredEvent {
  const { membership, ...more } = content;
  const reason = typeof more.reason === 'string' ? more.reason : undefined;
  const room = world.rooms.get(roomId);
  if (membership === 'invite') inviteWith(world, user, roomId, target, more);
  else if (membership === 'ban') ban(world, user, roomId, target, reason);
  else if (membership === 'leave' && target !== user) kick(world, user, roomId, target, reason);
  else if (membership === 'leave') leave(world, user, roomId, reason);
  else if (membership === 'join' && target === user) {
    join(world, user, roomId, reason);
    change(world, room!, user, user, 'join', { ...profileContent(world, user), ...more });
  } else throw invalid(`Cannot set the membership of ${target} to that`);
  return stateEvent(room!, 'm.room.member', target)!;
}

/** Tells a joined member's room of a new name or picture. */
export function announceProfile(world: WorldState, room: Room, user: string): void {
  change(world, room, user, user, 'join', profileContent(world, user));
}

function change(
  world: WorldState,
  room: Room,
  sender: string,
  target: string,
  membership: Membership,
  more: Content,
): void {
  const content = { ...more, membership };
  const current = stateEvent(room, 'm.room.member', target);
  if (current?.sender === sender && isDeepStrictEqual(current.content, content)) return;
  const inviteState = membership === 'invite' ? strippedState(room, sender) : undefined;
  append(world, room, { type: 'm.room.member', sender, stateKey: target, content, inviteState });
}

const SHOWN_TO_INVITED = [
  'm.room.create',
  'm.room.join_rules',
  'm.room.canonical_alias',
  'm.room.avatar',
  'm.room.encryption',
  'm.room.name',
  'm.room.topic',
];

function strippedState(room: Room, inviter: string): StrippedEvent[] {
  return [
    ...SHOWN_TO_INVITED.map((type) => stateEvent(room, type)),
    stateEvent(room, 'm.room.member', inviter),
  ]
    .filter((event) => event !== undefined)
    .map(({ type, stateKey, sender, content }) => ({ type, state_key: stateKey!, sender, content }));
}

function insideRoom(world: WorldState, user: string, roomId: string): Room {
  const room = world.rooms.get(roomId);
  if (!room || membershipOf(room, user) !== 'join') throw forbidden(`${user} not in room ${roomId}.`);
  return room;
}

function outranks(room: Room, user: string, target: string, action: 'kick' | 'ban'): boolean {
  const has = powerOf(room, user);
  return has >= powerTo(room, action) && has > powerOf(room, target);
}

const withReason = (reason: string | undefined): Content => (reason === undefined ? {} : { reason });
