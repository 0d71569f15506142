/**
 * Decides an event whose room could not be read when it came, with the same code and the same committing write. The
 * worker that asks runs the turn in the same queue message, so nothing is sent.
 */
import { keys } from '../gate/keys.ts';
import { parseEvent } from '../matrix/event.ts';
import { finishMessages } from './finish-messages.ts';
import { finishRecord } from './finish-record.ts';
import type { InboxDeps } from './ports.ts';
import { commit, type Decided, type EventRecord, recordOf } from './record.ts';
import { takeWords, viewOf } from './room.ts';
import { sortWords } from './sort.ts';

/** `turn`: the turn it became is there and was not sent. */
export type Late =
  | { readonly kind: 'turn'; readonly turn: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'unreadable' };

/** A worker has more time for a room than the webhook, ms. */
const PATIENCE_MS = 10_000;

export async function decideLate(deps: InboxDeps, room: string, event: string): Promise<Late> {
  const record = recordOf(await deps.table.get(keys.record(room, event)));
  if (record.finished) return finishedLate(record);
  const decided = record.decided ? record : await decideNow(deps, room, event, record);
  return decided === 'unreadable' ? { kind: 'unreadable' } : finishLate(deps, decided);
}

async function decideNow(deps: InboxDeps, room: string, event: string, record: EventRecord) {
  const parsed = parseEvent(record.deferred?.event, room);
  // Its words are gone already: it was redacted before anybody could decide it.
  if (!record.deferred || !parsed.ok) return endUndecided(deps, room, event, 'redacted');
  const arrived = { event: parsed.event, received: record.deferred.received, order: record.deferred.order };
  return takeWords(deps, await viewOf(deps, [arrived], PATIENCE_MS), arrived, sortWords(parsed.event));
}

async function finishLate(deps: InboxDeps, record: EventRecord): Promise<Late> {
  if (record.decided?.kind !== 'message') {
    await finishRecord(deps, record);
    return { kind: 'done' };
  }
  await finishMessages(deps, [record], false);
  return finishedLate(record);
}

/** The record is finished, its turn may not be: whoever receives this queue message again is its watchdog. */
function finishedLate({ decided }: EventRecord): Late {
  return decided?.turn === undefined || decided.kind !== 'message'
    ? { kind: 'done' }
    : { kind: 'turn', turn: decided.turn };
}

/** Nobody could decide it: it ends without an answer. What was decided after all goes on, without a send. */
export async function giveUpLate(deps: InboxDeps, room: string, event: string): Promise<Late> {
  const record = recordOf(await deps.table.get(keys.record(room, event)));
  if (record.finished) return finishedLate(record);
  return finishLate(deps, record.decided ? record : await endUndecided(deps, room, event, 'room-unreadable'));
}

async function endUndecided(
  deps: InboxDeps,
  room: string,
  event: string,
  reason: string,
): Promise<EventRecord> {
  deps.count('UnreadableRooms');
  deps.log('an event was given up', { event, reason });
  const now = deps.clock.now();
  const nothing: Decided = {
    room,
    event,
    kind: 'other',
    reason,
    sender: '',
    principal: '',
    name: '',
    captured: false,
    bot: false,
    at: now,
    order: '',
    received: now,
  };
  return (await commit(deps.table, nothing, now)).record;
}
