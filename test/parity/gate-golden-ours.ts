/**
 * Where we differ from the recording on purpose: our own outcomes of some steps of a scenario, under its name. Each rule
 * is one of the gate's.
 */
import type { Outcome, Result, Scenario, Step } from './gate-golden-data.ts';

type Ours = Readonly<Record<number, (step: Step) => Outcome>>;

const result = (said: Result) => (): Outcome => ({ result: said });
const deferred = result('deferred');
const skipped = result('skipped');
const answeredDirectly = result({
  respond: true,
  reason: 'dm',
  roomKind: 'direct',
  memberCount: 4,
  displayName: 'Ana',
});

/** Ignored in a group of four, and captured under that name. */
const ignored =
  (displayName: string) =>
  (step: Step): Outcome => {
    if (step.op !== 'message') throw new TypeError(`a step that says nothing: ${step.op}`);
    const { roomId, eventId, threadId, senderDid, sender, body, ts } = step;
    const said = {
      eventId,
      threadId,
      senderDid,
      senderMatrixUserId: sender,
      senderDisplayName: displayName,
      body,
      timestamp: ts,
    };
    return {
      result: { respond: false, reason: 'ignored', roomKind: 'group', memberCount: 4, displayName },
      state: { [roomId]: { buffer: { add: [[0, said]] } } },
    };
  };

export const ours: Readonly<Record<string, Ours>> = {
  // A room that can't be read and never was: the message waits for a worker, unanswered and not captured.
  'room-info-failure': { 1: deferred },
  'room-info-failure-silent': { 1: deferred },
  // A room that can't be read now: its last picture counts, though its time is over.
  'room-info-failure-cached': { 3: ignored('Ana') },
  // An alias that can't be read leaves the room unread, and nothing of it is kept: the next message reads again.
  'alias-failure-cached': { 1: deferred, 3: answeredDirectly },
  // A create event that can't be read leaves the room unread.
  'create-failure': { 1: deferred },
  // A name that can't be read is the user id for once, and is read again for the next message.
  'display-name-failure-cached': { 3: ignored('Ana') },
  // An event is decided once: said again, it changes nothing and its turn is not sent again.
  'root-message-after-restart': { 1: skipped, 3: skipped, 5: skipped },
  'replay-buffered': { 1: skipped },
  // The bot's own messages never come to the gate; only an echo that carries its turn is captured.
  'bot-own-message': { 0: skipped },
  // Power that can't be read leaves the room unread: it never makes the bot speak in a group.
  'power-read-failure': { 1: deferred },
  // Event ids are per room: each room decides and keeps its own.
  'same-event-two-rooms': { 1: ignored('Ana') },
};

/** What a scenario's steps lead to by our rules. */
export const expected = ({ name, steps, outcomes }: Scenario): readonly Outcome[] =>
  outcomes.map((outcome, index) => ours[name]?.[index]?.(steps[index]!) ?? outcome);
