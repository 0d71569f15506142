/**
 * What follows from decided messages: the buffer, the thread's mark, the turn and its queue message, then the record is
 * finished. Everything is keyed by the event and repeatable; whoever comes back does it again from the record.
 */
import { mark } from '../gate/mark.ts';
import type { InboxDeps, ToCapture, TurnRequest } from './ports.ts';
import { type Decided, type EventRecord, finish, isForgotten } from './record.ts';

/** Records of one room, in order. `send: false`: the caller itself is the worker and goes on with the turn. */
export async function finishMessages(
  deps: InboxDeps,
  records: readonly EventRecord[],
  send = true,
): Promise<void> {
  const decided = records.flatMap((record) => (record.decided ? [{ record, ...record }] : [])) as {
    record: EventRecord;
    decided: Decided;
  }[];
  const kept = decided.filter(({ record }) => !isForgotten(record)).map((one) => one.decided);
  const room = decided[0]?.decided.room;
  if (room === undefined) return;
  await deps.memory.capture(room, kept.filter(({ captured }) => captured).map(toCapture), deps.clock.now());
  for (const one of kept) {
    if (one.markUntil !== undefined) await mark(deps.table, room, one.thread ?? one.event, one.markUntil);
    if (one.turn !== undefined) await deps.turns.create({ ...turnRequest(one), input: one.text ?? '' });
    if (one.turn !== undefined && send) await deps.queue.turn(one.turn, one.conversation!);
    if (one.notice) await deps.queue.notice(room, one.event, one.notice);
  }
  await Promise.all(
    decided.map(({ record, decided }) => finish(deps.table, room, decided.event, isForgotten(record))),
  );
}

const toCapture = (one: Decided): ToCapture => ({
  event: one.event,
  thread: one.thread ?? one.event,
  sender: one.sender,
  principal: one.principal,
  name: one.name,
  body: one.text ?? '',
  at: one.at,
  order: one.order,
  bot: one.bot,
});

/** The turn of a decided message, without its words. */
export const turnRequest = (one: Decided): Omit<TurnRequest, 'input'> => ({
  turn: one.turn!,
  conversation: one.conversation!,
  principal: one.principal,
  order: one.order,
  created: one.received,
  room: one.room,
  roomKind: one.roomKind ?? 'group',
  event: one.event,
  ...(one.thread !== undefined && { thread: one.thread }),
  sender: one.sender,
  name: one.name,
  at: one.at,
});
