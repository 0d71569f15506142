/**
 * A redaction: who may, then everything the target said is taken from every row it may lie in. Each step is an upsert or
 * a conditional write and creates the row it forbids; the whole is repeatable from the top. A turn that is not over yet
 * keeps the redaction's own record open, and `sweep` goes on with it.
 */

import { keys } from '../gate/keys.ts';
import { turnRequest } from './finish-messages.ts';
import type { InboxDeps } from './ports.ts';
import {
  addRedactor,
  type Decided,
  type EventRecord,
  finish,
  markRedacted,
  mayRedactOwn,
  postpone,
  recordOf,
} from './record.ts';

/** Goes through with a decided redaction. */
export async function finishRedaction(deps: InboxDeps, decided: Decided): Promise<void> {
  const { room, event, target, sender, power } = decided;
  if (target !== undefined && (power || (await mayRedact(deps, room, target, sender)))) {
    if ((await redact(deps, room, target)) === 'later')
      return postpone(deps.table, room, event, deps.clock.now());
  }
  await finish(deps.table, room, event);
}

/** The target's sender decides, from its record or from memory; a target not seen yet keeps who asked. */
async function mayRedact(deps: InboxDeps, room: string, target: string, by: string): Promise<boolean> {
  const known =
    recordOf(await deps.table.get(keys.record(room, target))).decided?.sender ??
    (await deps.memory.senderOf(room, target));
  if (known !== undefined) return mayRedactOwn(by, known);
  const record = await addRedactor(deps.table, room, target, by, deps.clock.now());
  // Decided in the meantime: judged now. Otherwise by whoever reads the record once it is.
  return record?.decided !== undefined && mayRedactOwn(by, record.decided.sender);
}

/** Takes the words of an event of the room. */
export async function redact(deps: InboxDeps, room: string, target: string): Promise<'done' | 'later'> {
  const now = deps.clock.now();
  const record: EventRecord = await markRedacted(deps.table, room, target, now);
  const decided = record.decided;
  if (decided?.kind === 'edit' && decided.target !== undefined) {
    await deps.memory.redactEdit(room, decided.target, target, now);
    return 'done';
  }
  await deps.memory.erase(room, target, now);
  if (decided?.turn === undefined || decided.kind !== 'message') return 'done';
  const redacted = await deps.turns.redact(turnRequest(decided));
  const { at, order, conversation } = decided;
  await deps.turns.unsay(conversation!, { at, order, event: target });
  for (const answer of redacted.answers) await deps.memory.erase(room, answer, now);
  return redacted.over ? 'done' : 'later';
}
