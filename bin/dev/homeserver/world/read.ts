/**
 * Reading a room. A joined user sees all of it, also what was said before he came (history `shared`); one who left
 * or was kicked sees it as it was then; one who was only invited, or banned, or never there, sees nothing: 403.
 */
import type { StoredEvent } from './event.ts';
import { forbidden, invalid, notFound } from './fault.ts';
import {
  joinedUsers,
  type Membership,
  membershipIn,
  membershipOf,
  type Room,
  stateEvent,
  stateId,
  type WorldState,
} from './state.ts';

/** What of a room a user may see: everything up to a position. */
type View = { readonly room: Room; readonly until: number };

function viewIn(world: WorldState, user: string, roomId: string): View | undefined {
  const room = world.rooms.get(roomId);
  const history = room?.memberships.get(user) ?? [];
  const now = membershipIn(history.at(-1));
  if (room && now === 'join') return { room, until: Number.POSITIVE_INFINITY };
  if (room && now === 'leave' && history.some((event) => membershipIn(event) === 'join'))
    return { room, until: history.at(-1)!.position };
  return undefined;
}

function viewOf(world: WorldState, user: string, roomId: string): View {
  const view = viewIn(world, user, roomId);
  if (!view) throw forbidden(`User ${user} not in room ${roomId}, and room previews are disabled`);
  return view;
}

/** The state once everything up to `position` had happened, under the keys of {@link stateId}. */
export function stateAt(room: Room, position: number): ReadonlyMap<string, StoredEvent> {
  if (position >= (room.timeline.at(-1)?.position ?? 0)) return room.state;
  const state = new Map<string, StoredEvent>();
  for (const event of room.timeline) {
    if (event.position > position) break;
    if (event.stateKey !== undefined) state.set(stateId(event.type, event.stateKey), event);
  }
  return state;
}

export function readState(world: WorldState, user: string, roomId: string): StoredEvent[] {
  const { room, until } = viewOf(world, user, roomId);
  return [...stateAt(room, until).values()];
}

export function readStateEvent(
  world: WorldState,
  user: string,
  roomId: string,
  type: string,
  key = '',
): StoredEvent {
  const { room, until } = viewOf(world, user, roomId);
  const event = stateAt(room, until).get(stateId(type, key));
  if (!event) throw notFound('Event not found.');
  return event;
}

/** An event the user may not see is not found, and so is one of another room. */
export function readEvent(world: WorldState, user: string, roomId: string, id: string): StoredEvent {
  const view = viewIn(world, user, roomId);
  const event = view?.room.events.get(id);
  if (!view || !event || event.position > view.until) throw notFound('Event not found.');
  return event;
}

export function readMembers(
  world: WorldState,
  user: string,
  roomId: string,
  wanted: { membership?: Membership | undefined; not_membership?: Membership | undefined } = {},
): StoredEvent[] {
  const { membership, not_membership } = wanted;
  return readState(world, user, roomId).filter(
    (event) =>
      event.type === 'm.room.member' &&
      (membership === undefined || membershipIn(event) === membership) &&
      (not_membership === undefined || membershipIn(event) !== not_membership),
  );
}

export type JoinedMember = { readonly display_name: string | null; readonly avatar_url: string | null };

/** For joined users only. */
export function joinedMembers(world: WorldState, user: string, roomId: string): Record<string, JoinedMember> {
  const { room } = viewOf(world, user, roomId);
  if (membershipOf(room, user) !== 'join')
    throw forbidden('Getting joined members while not being a current member of the room is forbidden.');
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  return Object.fromEntries(
    joinedUsers(room).map((one) => {
      const { displayname, avatar_url } = stateEvent(room, 'm.room.member', one)!.content;
      return [one, { display_name: text(displayname), avatar_url: text(avatar_url) }];
    }),
  );
}

/** The rooms a user is in. */
export function joinedRooms(world: WorldState, user: string): string[] {
  return [...world.rooms.values()].flatMap((room) => (membershipOf(room, user) === 'join' ? [room.id] : []));
}

export type Filter = {
  readonly senders?: readonly string[] | undefined;
  readonly not_senders?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly not_types?: readonly string[] | undefined;
};

export type PageOptions = {
  readonly dir: 'b' | 'f';
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
  readonly filter?: Filter | undefined;
};

export type Page = { readonly chunk: StoredEvent[]; readonly start: string; readonly end?: string };

const MAX_PAGE = 1_000;

/**
 * A page of what was said, from a token on, newest first for `b`. The limit counts what the filter lets through.
 * As in Synapse only an empty page has no `end`, so the first page that holds the oldest event still has one.
 */
export function messages(world: WorldState, user: string, roomId: string, options: PageOptions): Page {
  const { room, until } = viewOf(world, user, roomId);
  const { dir, limit = 10, filter = {} } = options;
  const newest = Math.min(until, world.position);
  const from = options.from === undefined ? (dir === 'b' ? newest : 0) : positionOf(options.from);
  const to = options.to === undefined ? undefined : positionOf(options.to);
  const seen = room.timeline.filter(({ position }) => position <= until);
  const ahead =
    dir === 'b'
      ? seen.filter(({ position }) => position <= from && position > (to ?? 0)).reverse()
      : seen.filter(({ position }) => position > from && position <= (to ?? until));
  const chunk = ahead.filter((event) => passes(filter, event)).slice(0, Math.min(limit, MAX_PAGE));
  const last = chunk.at(-1)?.position;
  const start = tokenAt(from);
  return last === undefined
    ? { chunk, start }
    : { chunk, start, end: tokenAt(dir === 'b' ? last - 1 : last) };
}

function passes(filter: Filter, { sender, type }: StoredEvent): boolean {
  const matches = (patterns: readonly string[] | undefined, value: string) =>
    patterns?.some((pattern) =>
      pattern.endsWith('*') ? value.startsWith(pattern.slice(0, -1)) : value === pattern,
    );
  return (
    matches(filter.senders, sender) !== false &&
    !matches(filter.not_senders, sender) &&
    matches(filter.types, type) !== false &&
    !matches(filter.not_types, type)
  );
}

/** A token is a place between two events of the one stream: after the event at `position`. */
export const tokenAt = (position: number): string => `s${position}`;

export function positionOf(token: string): number {
  if (!/^s\d{1,15}$/.test(token)) throw invalid('Invalid stream token');
  return Number(token.slice(1));
}
