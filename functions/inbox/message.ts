/** Decides a message, an encrypted one or a consent: asks the gate, and commits what it said in the event's record. */
import { decide, type GateMessage, type Notice } from '../gate/decide.ts';
import { countPace } from '../gate/pace.ts';
import type { Picture } from '../gate/picture.ts';
import { roomKindOf } from '../gate/read-room.ts';
import type { RoomView } from '../gate/view.ts';
import { isMentioned, type MessageContent } from '../matrix/content.ts';
import type { RoomEvent } from '../matrix/event.ts';
import type { InboxDeps } from './ports.ts';
import { commit, type Decided, type EventRecord, isForgotten } from './record.ts';
import { choiceOf } from './sort.ts';

/** An event as this run received it: when, and where it stands among those received with it. */
export type Arrived = { readonly event: RoomEvent; readonly received: number; readonly order: string };

/** What every record of an event says of it. */
export function basics(
  deps: InboxDeps,
  { event, received, order }: Arrived,
): Omit<Decided, 'kind' | 'reason'> {
  return {
    room: event.room,
    event: event.id,
    sender: event.sender,
    principal: deps.principalOf(event.sender),
    name: event.sender,
    captured: false,
    bot: false,
    at: Math.min(event.ts, received),
    order,
    received,
  };
}

/** The event is of no further consequence: decided and finished in one write. The record that stands may be another's. */
export async function commitOther(deps: InboxDeps, arrived: Arrived, reason: string): Promise<EventRecord> {
  return (await commit(deps.table, { ...basics(deps, arrived), kind: 'other', reason }, deps.clock.now()))
    .record;
}

/** Decides a message of a room whose picture is known. The record that stands is still to be finished. */
export async function decideMessage(
  deps: InboxDeps,
  view: RoomView,
  picture: Picture,
  arrived: Arrived,
  content: MessageContent,
): Promise<EventRecord> {
  const { event, received } = arrived;
  const base = basics(deps, arrived);
  const turnId = deps.turns.idOf(event.room, event.id);
  const place = {
    room: event.room,
    sender: event.sender,
    ...(content.thread !== undefined && { thread: content.thread }),
  };
  const conversationOf = (roomKind: 'direct' | 'group') => deps.turns.conversationOf({ ...place, roomKind });
  const message: GateMessage = {
    ...place,
    event: event.id,
    body: content.body,
    notice: content.notice,
    mentioned: isMentioned(event.content, deps.namespace.bot),
    ...(content.quoted !== undefined && { quoted: content.quoted }),
    ts: event.ts,
    ...(event.age !== undefined && { age: event.age }),
    received,
    turnId,
    conversationOf,
  };
  const decision = await decide(deps, view, picture, message);
  const { respond, reason, roomKind, name, captured, markUntil, notice, pace } = decision;
  const decided: Decided = {
    ...base,
    kind: 'message',
    reason,
    roomKind,
    name,
    captured,
    bot: content.notice || deps.options.isPeer(event.sender),
    ...(content.thread !== undefined && { thread: content.thread }),
    ...(respond && { turn: turnId, conversation: conversationOf(roomKind) }),
    ...(markUntil !== undefined && { markUntil }),
    ...(notice && { notice }),
    ...((respond || captured) && { text: content.body }),
  };
  const { record, won } = await commit(deps.table, decided, deps.clock.now());
  const stands = record.decided;
  // The room's next message is decided by it, and may be in the same transaction: before its row is written.
  if (stands?.markUntil !== undefined && !isForgotten(record))
    view.marked(stands.thread ?? stands.event, stands.markUntil);
  if (won && pace && pace !== view.pace()) {
    await countPace(deps.table, event.room, view.pace(), pace, received);
    view.paced(pace);
  }
  if (won) deps.count(respond ? 'Accepted' : 'Refused');
  return record;
}

/** An unreadable message: a direct room is told so, once, unless it is one where nothing is answered. */
export async function decideEncrypted(
  deps: InboxDeps,
  picture: Picture,
  arrived: Arrived,
): Promise<EventRecord> {
  const direct = deps.options.groupRooms === 'answer' || roomKindOf(picture) === 'direct';
  const told = direct && !picture.space && !picture.tombstoned;
  const notice: Notice | undefined = told ? { kind: 'encrypted', window: 'once' } : undefined;
  const decided: Decided = {
    ...basics(deps, arrived),
    kind: notice ? 'message' : 'other',
    reason: 'encrypted',
    ...(notice && { notice }),
  };
  return (await commit(deps.table, decided, deps.clock.now())).record;
}

/**
 * Whether a reaction or quote-reply is the answer to a question of ours: from the person the turn runs for, and one of
 * the answers offered. Undefined: it is none, and is sorted on.
 */
export async function decideConsent(
  deps: InboxDeps,
  view: RoomView,
  arrived: Arrived,
  said: { readonly target: string; readonly text: string },
): Promise<EventRecord | undefined> {
  const own = view.own(said.target);
  const choice = choiceOf(said.text);
  if (own?.kind !== 'question' || choice === undefined) return undefined;
  const question = await deps.turns.question(own.turn, own.part);
  if (question?.sender !== arrived.event.sender || !question.choices.includes(choice)) return undefined;
  const decided: Decided = {
    ...basics(deps, arrived),
    kind: 'consent',
    reason: 'consent',
    turn: own.turn,
    conversation: question.conversation,
    target: said.target,
    seq: question.seq,
    choice,
  };
  return (await commit(deps.table, decided, deps.clock.now())).record;
}
