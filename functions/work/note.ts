/**
 * What a room is told when a turn can't go on by itself: the question of a waiting turn, and the note of one that ended
 * as `error`. Both are parts, put once and sent once; whoever receives a message of such a turn sends what is owed.
 */
import type { TurnEvent } from '../turns/events.ts';
import { type Head, isTerminal } from '../turns/head.ts';
import type { MatrixSource, Meta } from '../turns/meta.ts';
import { askPart, getPart, NOTE, putPart } from '../turns/parts.ts';
import { redactDraft } from './draft.ts';
import type { Invocation, WorkDeps } from './ports.ts';
import { sendPart } from './send-part.ts';

/** What a person is told for a reason; anything else is a failure without a public reason. */
const WORDS: Readonly<Record<string, string>> = {
  model_unavailable: 'the model is unavailable',
  time_limit: 'it took too long',
  attempts_exhausted: 'it broke off several times',
  never_started: 'no worker could start it',
  dead_letter: 'no worker could finish it',
  delivery_failed: 'the answer could not be delivered',
};

/** Sends what a turn that is over still owes its room: the note of an error, and a draft's removal. Repeatable. */
export async function settleRoom(
  deps: WorkDeps,
  turn: string,
  meta: Meta,
  head: Head,
  invocation: Invocation,
): Promise<'settled' | 'owed'> {
  const source = meta.source;
  if (source.kind !== 'matrix' || !isTerminal(head) || head.status === 'complete') return 'settled';
  if (deps.options.liveEdits) await redactDraft(deps, turn, source.room, invocation);
  if (head.status !== 'error') return 'settled';
  const words = WORDS[head.reason ?? ''] ?? 'something went wrong';
  const { noticeContent } = await import('../matrix/reply.ts');
  await putPart(
    deps.table,
    turn,
    NOTE,
    noticeContent(`I could not answer: ${words}. ${turn}`, contextOf(turn, NOTE, source)),
    meta.expires,
  );
  const sent = await sendPart(deps, { turn, room: source.room, name: NOTE, look: true }, invocation);
  return sent.kind === 'unsent' ? 'owed' : 'settled';
}

export type Waiting = Extract<TurnEvent, { type: 'waiting' }>;

/** Posts the question of a waiting turn, unless it stands in the room already. */
export async function ask(
  deps: WorkDeps,
  question: { turn: string; meta: Meta; seq: number; event: Waiting; look: boolean },
  invocation: Invocation,
): Promise<'asked' | 'owed'> {
  const { turn, meta, seq, event } = question;
  const source = meta.source;
  if (source.kind !== 'matrix') return 'asked';
  const name = askPart(seq);
  if ((await getPart(deps.table, turn, name))?.event) return 'asked';
  const { askContent } = await import('../matrix/reply.ts');
  await putPart(
    deps.table,
    turn,
    name,
    askContent(event.question, contextOf(turn, name, source)),
    meta.expires,
  );
  const sent = await sendPart(deps, { turn, room: source.room, name, look: question.look }, invocation);
  return sent.kind === 'unsent' ? 'owed' : 'asked';
}

const contextOf = (turn: string, part: string, source: MatrixSource) => ({
  turn,
  part,
  trigger: source.event,
  ...(source.thread !== undefined && { thread: source.thread }),
  ...(source.thread === undefined && source.roomKind === 'group' && { quote: source.event }),
});
