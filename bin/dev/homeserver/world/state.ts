/**
 * All that the stand-in homeserver knows, as plain data, and the few look-ups everything else is made of. Nothing
 * here waits, and time and chance come from outside, so a test can run it under virtual time.
 */
import type { Clock, Random } from '../../../../functions/runtime/clock.ts';
import type { Content, StoredEvent } from './event.ts';
import { forbidden } from './fault.ts';
import type { Service } from './namespaces.ts';
import type { RoomVersion } from './versions.ts';

export type Membership = 'join' | 'invite' | 'leave' | 'ban';

export type Receipt = {
  readonly user: string;
  readonly type: string;
  readonly event: string;
  readonly thread: string | undefined;
  readonly ts: number;
  readonly position: number;
};

export type Room = {
  readonly id: string;
  readonly version: RoomVersion;
  /** Every event, oldest first. */
  readonly timeline: StoredEvent[];
  readonly events: Map<string, StoredEvent>;
  /** The current state under {@link stateId}. */
  readonly state: Map<string, StoredEvent>;
  /** Each user's member events, oldest first. */
  readonly memberships: Map<string, StoredEvent[]>;
  /** Who is typing, and until when (ms). */
  readonly typing: Map<string, number>;
  typingPosition: number;
  readonly receipts: Map<string, Receipt>;
};

export type User = {
  readonly id: string;
  /** False for a user of the service that acts before it is registered. */
  registered: boolean;
  displayName?: string | undefined;
  avatarUrl?: string | undefined;
};

export type Session = { readonly user: string; readonly device: string };
export type Media = { readonly bytes: Uint8Array; readonly type: string; readonly name: string | undefined };

/** Typing or a receipt, as a service that asked for it is told. */
export type Ephemeral = { readonly type: string; readonly room_id: string; readonly content: Content };

export type WorldState = {
  readonly serverName: string;
  readonly service: Service | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** The stream position of the newest event, receipt or typing notice. */
  position: number;
  readonly users: Map<string, User>;
  /** By access token. */
  readonly sessions: Map<string, Session>;
  readonly rooms: Map<string, Room>;
  /** Room id by alias. */
  readonly aliases: Map<string, string>;
  /** Events by client transaction, oldest first. */
  readonly transactions: Map<string, StoredEvent>;
  readonly openIdTokens: Map<string, { readonly user: string; readonly until: number }>;
  readonly media: Map<string, Media>;
  readonly onEvent: Set<(event: StoredEvent) => void>;
  readonly onEphemeral: Set<(notice: Ephemeral) => void>;
};

export const stateId = (type: string, key: string) => `${type}\0${key}`;

export const stateEvent = (room: Room, type: string, key = ''): StoredEvent | undefined =>
  room.state.get(stateId(type, key));

export const membershipIn = (event: StoredEvent | undefined): Membership | undefined =>
  event?.content.membership as Membership | undefined;

export const membershipOf = (room: Room, user: string): Membership | undefined =>
  membershipIn(stateEvent(room, 'm.room.member', user));

/** What the user was in the room once the event at `position` was there. */
export const membershipAt = (room: Room, user: string, position: number): Membership =>
  membershipIn(room.memberships.get(user)?.findLast((event) => event.position <= position)) ?? 'leave';

export const membersOf = (room: Room): StoredEvent[] =>
  [...room.state.values()].filter((event) => event.type === 'm.room.member');

export const joinedUsers = (room: Room): string[] =>
  membersOf(room)
    .filter((event) => membershipIn(event) === 'join')
    .map((event) => event.stateKey!);

/** The room, for one who is joined; anything else is 403, a room that does not exist too. */
export function joinedRoom(world: WorldState, user: string, id: string): Room {
  const room = world.rooms.get(id);
  if (!room || membershipOf(room, user) !== 'join') throw forbidden(`User ${user} not in room ${id}`);
  return room;
}
