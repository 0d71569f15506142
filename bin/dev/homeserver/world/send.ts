/**
 * Sending into a room: a message of any type, state, a redaction. A call with a client transaction id is made once
 * for each (owner, room, kind, id), and its repetition answers the same event id; the ids are forgotten after an
 * hour, or when a fault says so (https://spec.matrix.org/v1.16/client-server-api/#transaction-identifiers).
 */
import { isDeepStrictEqual } from 'node:util';
import { authorize } from './authorize.ts';
import { checkContent } from './content.ts';
import type { ClientTransaction, Content, Draft, StoredEvent } from './event.ts';
import { forbidden, invalid, notFound } from './fault.ts';
import { setMember } from './members.ts';
import { powerOf, powerTo } from './power.ts';
import { checkRelation } from './relations.ts';
import { joinedRoom, type Room, stateEvent, type WorldState } from './state.ts';
import { append } from './timeline.ts';

/** Returns the event id. */
export function send(
  world: WorldState,
  user: string,
  roomId: string,
  type: string,
  content: Content,
  transaction?: ClientTransaction,
): string {
  if (type === 'm.room.redaction' && typeof content.redacts === 'string')
    return redact(world, user, roomId, content.redacts, { content, transaction });
  return once(world, transaction, [roomId, 'send', type], () => {
    const room = joinedRoom(world, user, roomId);
    return appendChecked(world, room, { type, sender: user, content, transaction });
  });
}

/** Returns the id of the event that now stands; the same content again makes none. */
export function setState(
  world: WorldState,
  user: string,
  roomId: string,
  type: string,
  stateKey: string,
  content: Content,
): string {
  if (type === 'm.room.member') return setMember(world, user, roomId, stateKey, content).id;
  const room = joinedRoom(world, user, roomId);
  const current = stateEvent(room, type, stateKey);
  if (current?.sender === user && isDeepStrictEqual(current.content, content)) return current.id;
  return appendChecked(world, room, { type, sender: user, stateKey, content }).id;
}

export type RedactOptions = {
  readonly reason?: string | undefined;
  /** What the redaction event says besides its target. */
  readonly content?: Content;
  readonly transaction?: ClientTransaction | undefined;
};

/** Returns the redaction's id. Who lacks the level may redact only what he sent himself. */
export function redact(
  world: WorldState,
  user: string,
  roomId: string,
  target: string,
  options: RedactOptions = {},
): string {
  const { transaction, reason } = options;
  return once(world, transaction, [roomId, 'redact', target], () => {
    const room = joinedRoom(world, user, roomId);
    checkRedaction(room, user, target);
    const { redacts: _, ...said } = options.content ?? {};
    const content = {
      ...said,
      ...(reason === undefined ? {} : { reason }),
      ...(room.version.redactsInContent ? { redacts: target } : {}),
    };
    return appendChecked(world, room, {
      type: 'm.room.redaction',
      sender: user,
      content,
      redacts: target,
      transaction,
    });
  });
}

function checkRedaction(room: Room, user: string, target: string): void {
  const event = room.events.get(target);
  if (event?.type === 'm.room.create') throw forbidden('Redacting create events is not permitted');
  if (powerOf(room, user) >= powerTo(room, 'redact')) return;
  if (!event) throw notFound(`Could not find event ${target}`);
  if (event.sender !== user) throw forbidden("You don't have permission to redact events");
}

function appendChecked(world: WorldState, room: Room, draft: Draft): StoredEvent {
  if (draft.type === 'm.room.member') throw invalid('A membership is state');
  checkContent(room, draft.type, draft.content);
  authorize(room, draft);
  checkRelation(room, draft);
  return append(world, room, draft);
}

const REMEMBERED_MS = 3_600_000;

function once(
  world: WorldState,
  transaction: ClientTransaction | undefined,
  path: readonly string[],
  make: () => StoredEvent,
): string {
  if (!transaction) return make().id;
  forgetTransactions(world, world.clock.now() - REMEMBERED_MS);
  const key = JSON.stringify([transaction.owner, ...path, transaction.id]);
  const known = world.transactions.get(key);
  if (known) return known.id;
  const event = make();
  world.transactions.set(key, event);
  return event.id;
}

/** Forgets the client transaction ids used before `before` (ms); by default all, as a restart does. */
export function forgetTransactions(world: WorldState, before = Number.POSITIVE_INFINITY): void {
  for (const [key, event] of world.transactions) {
    if (event.ts >= before) return;
    world.transactions.delete(key);
  }
}
