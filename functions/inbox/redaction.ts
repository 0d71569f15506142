/**
 * A redaction: who may, then everything the target said is taken from every row it may lie in. Each step is an upsert or
 * a conditional write and creates the row it forbids; the whole is repeatable from the top. A turn that is not over yet
 * keeps the redaction's own record open, and `sweep` goes on with it.
 */
import { keys } from '../gate/keys.ts';
import { ownOf } from '../gate/own.ts';
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
    if ((await redact(deps, room, target, sender)) === 'later')
      return postpone(deps.table, room, event, deps.clock.now());
  }
  await finish(deps.table, room, event);
}

/** The target's sender decides; a target not seen yet keeps who asked. */
async function mayRedact(deps: InboxDeps, room: string, target: string, by: string): Promise<boolean> {
  const known = await senderOf(deps, room, target);
  if (known !== undefined) return mayRedactOwn(by, known);
  await addRedactor(deps.table, room, target, by, deps.clock.now());
  // It came in the meantime: judged now. Otherwise by whoever takes it, who looks for redactors after writing it.
  const since = await senderOf(deps, room, target);
  return since !== undefined && mayRedactOwn(by, since);
}

/** Who said it: by its record, as an event of ours, or by memory. */
async function senderOf(deps: InboxDeps, room: string, target: string): Promise<string | undefined> {
  const { decided } = recordOf(await deps.table.get(keys.record(room, target)));
  const known = decided?.sender ?? (await deps.memory.senderOf(room, target));
  if (known !== undefined) return known;
  return ownOf(await deps.table.get(keys.own(room, target))) && deps.namespace.bot;
}

/** Our own words have no record to be judged by: they are put first, then it is asked who had taken them back. */
export async function judgeRedactors(
  deps: InboxDeps,
  room: string,
  own: string,
  sender: string,
): Promise<void> {
  const { redacted, redactors } = recordOf(await deps.table.get(keys.record(room, own)));
  const by = [...redactors].find((redactor) => mayRedactOwn(redactor, sender));
  if (!redacted && by !== undefined) await redact(deps, room, own, by);
}

/** Takes the words of an event of the room. */
async function redact(deps: InboxDeps, room: string, target: string, by: string): Promise<'done' | 'later'> {
  const now = deps.clock.now();
  const record: EventRecord = await markRedacted(deps.table, room, target, now);
  const decided = record.decided;
  if (decided?.kind === 'edit' && decided.target !== undefined) {
    await deps.memory.redactEdit(room, decided.target, target, now);
    return 'done';
  }
  await deps.memory.erase(room, target, now);
  if (!decided && !deps.namespace.isOurs(by)) return redactAnswer(deps, room, target);
  if (decided?.turn === undefined || decided.kind !== 'message') return 'done';
  const redacted = await deps.turns.redact(turnRequest(decided));
  const { at, order, conversation } = decided;
  await deps.turns.unsay(conversation!, { at, order, event: target });
  for (const answer of redacted.answers) await deps.memory.erase(room, answer, now);
  return redacted.over ? 'done' : 'later';
}

/** Somebody took back an answer of ours: what its turn wrote and said is forgotten too. */
async function redactAnswer(deps: InboxDeps, room: string, target: string): Promise<'done' | 'later'> {
  const own = ownOf(await deps.table.get(keys.own(room, target)));
  if (own?.kind !== 'answer') return 'done';
  return (await deps.turns.redactAnswer(own.turn)).over ? 'done' : 'later';
}
