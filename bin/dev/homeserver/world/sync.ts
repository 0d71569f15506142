/**
 * What happened to a user's rooms since a token, in the form of `/sync`
 * (https://spec.matrix.org/v1.16/client-server-api/#syncing). Rooms, timelines, state, invitations, typing and
 * receipts; no account data, presence or devices. It never waits: `news` says whether there was anything.
 */
import { clientEvent, type Form, type Json, type Reader } from './client-event.ts';
import { expireTyping, receiptContent, typingContent } from './ephemeral.ts';
import type { StoredEvent } from './event.ts';
import { positionOf, stateAt, tokenAt } from './read.ts';
import { membershipAt, membershipOf, type Room, stateEvent, type WorldState } from './state.ts';

export type SyncOptions = { readonly since?: string | undefined; readonly limit?: number | undefined };

export type SyncAnswer = {
  readonly next_batch: string;
  readonly rooms: {
    readonly join: Record<string, Json>;
    readonly invite: Record<string, Json>;
    readonly leave: Record<string, Json>;
  };
};

export function sync(
  world: WorldState,
  reader: Reader,
  options: SyncOptions = {},
): { news: boolean; answer: SyncAnswer } {
  const since = options.since === undefined ? undefined : positionOf(options.since);
  const limit = options.limit ?? 10;
  const rooms: SyncAnswer['rooms'] = { join: {}, invite: {}, leave: {} };
  for (const room of world.rooms.values()) {
    const membership = membershipOf(room, reader.user);
    if (membership === undefined) continue;
    const changed = stateEvent(room, 'm.room.member', reader.user)!.position;
    if (membership === 'join') {
      const seen = since !== undefined && membershipAt(room, reader.user, since) === 'join';
      const part = joined(world, room, reader, seen ? since : undefined, limit);
      if (part) rooms.join[room.id] = part;
    } else if (membership === 'invite') {
      if (changed > (since ?? 0)) rooms.invite[room.id] = invited(room, reader.user);
    } else if (since !== undefined && changed > since) {
      rooms.leave[room.id] = timelineOf(world, room, reader, since, changed, limit);
    }
  }
  const news = Object.values(rooms).some((part) => Object.keys(part).length > 0);
  return { news: news || since === undefined, answer: { next_batch: tokenAt(world.position), rooms } };
}

/** `since` is undefined where the whole room is new to the reader. */
function joined(world: WorldState, room: Room, reader: Reader, since: number | undefined, limit: number) {
  expireTyping(world, room);
  const after = since ?? 0;
  const receipts = [...room.receipts.values()].filter(
    ({ position, type, user }) => position > after && (type === 'm.read' || user === reader.user),
  );
  const typing = room.typingPosition > after && (since !== undefined || room.typing.size > 0);
  const events = [
    ...(typing ? [{ type: 'm.typing', content: typingContent(room) }] : []),
    ...(receipts.length > 0 ? [{ type: 'm.receipt', content: receiptContent(receipts) }] : []),
  ];
  const anything = events.length > 0 || (room.timeline.at(-1)?.position ?? 0) > after;
  if (!anything) return undefined;
  return { ...timelineOf(world, room, reader, since, world.position, limit), ephemeral: { events } };
}

/** The newest events up to `until`, and the state that a client lacks at the first of them. */
function timelineOf(
  world: WorldState,
  room: Room,
  reader: Reader,
  since: number | undefined,
  until: number,
  limit: number,
): Json {
  const after = since ?? 0;
  const all = room.timeline.filter(({ position }) => position > after && position <= until);
  const events = limit === 0 ? [] : all.slice(-limit);
  const begin = (events[0]?.position ?? until + 1) - 1;
  const state = [...stateAt(room, begin).values()].filter(({ position }) => position > after);
  const form: Form = { legacy: false, reader, withRoom: false };
  const show = (list: readonly StoredEvent[]) => list.map((event) => clientEvent(world, event, form));
  return {
    timeline: { events: show(events), limited: events.length < all.length, prev_batch: tokenAt(begin) },
    state: { events: show(state) },
  };
}

function invited(room: Room, user: string): Json {
  const { type, sender, content, inviteState = [] } = stateEvent(room, 'm.room.member', user)!;
  return { invite_state: { events: [...inviteState, { type, sender, content, state_key: user }] } };
}
