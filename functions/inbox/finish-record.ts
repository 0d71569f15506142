/** Goes on from a decided record, whatever its kind, as often as it takes: after a crash, a repetition, or by `sweep`. */
import { finishMessages } from './finish-messages.ts';
import type { InboxDeps } from './ports.ts';
import { type Decided, type EventRecord, finish, isForgotten } from './record.ts';
import { finishRedaction } from './redaction.ts';

export async function finishRecord(deps: InboxDeps, record: EventRecord): Promise<void> {
  const { decided, finished } = record;
  if (!decided || finished) return;
  switch (decided.kind) {
    case 'message':
      return finishMessages(deps, [record]);
    case 'redaction':
      return finishRedaction(deps, decided);
    case 'edit':
      return finishEdit(deps, record, decided);
    case 'consent':
      return finishConsent(deps, decided);
    case 'other':
      return finish(deps.table, decided.room, decided.event);
  }
}

/** An edit revises memory; it is never answered. */
async function finishEdit(deps: InboxDeps, record: EventRecord, decided: Decided): Promise<void> {
  const { room, event, target, sender, text, at } = decided;
  if (decided.captured && !isForgotten(record) && target !== undefined && text !== undefined)
    await deps.memory.edit(room, { target, event, sender, body: text, ts: at }, deps.clock.now());
  await finish(deps.table, room, event, isForgotten(record));
}

/** The consent is put, the turn sent on; a turn that no longer waits for it meets its own state. */
async function finishConsent(deps: InboxDeps, decided: Decided): Promise<void> {
  const { room, event, turn, conversation, seq, choice, sender } = decided;
  await deps.turns.consent(turn!, seq!, sender, choice!);
  await deps.queue.consent(turn!, conversation!, seq!);
  await finish(deps.table, room, event);
}
