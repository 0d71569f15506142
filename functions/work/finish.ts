/** How an owner ends its turn: what was said goes into the conversation's history, then the close that commits the end. */
import { behind, dropUnfinished, placeOf, putSaid } from '../turns/conversation.ts';
import type { EndStatus, Message, Numbered, Usage } from '../turns/events.ts';
import { messageId } from '../turns/ids.ts';
import { textOf } from '../turns/log.ts';
import type { Meta } from '../turns/meta.ts';
import type { Pump } from '../turns/pump.ts';
import { messagesOf } from './along.ts';
import type { WorkDeps } from './ports.ts';

export type Ending = {
  readonly turn: string;
  readonly meta: Meta;
  /** The turns whose messages it answers. */
  readonly list: readonly string[];
  readonly events: readonly Numbered[];
  readonly pump: Pump;
};

/** Closes the turn. `fenced`: it is another's, and its queue message must not be reported as done. */
export async function close(
  deps: WorkDeps,
  ending: Ending,
  status: EndStatus,
  reason?: string,
): Promise<'over' | 'fenced'> {
  const { turn, meta, pump } = ending;
  const message: Message = {
    id: messageId(turn),
    role: 'assistant',
    content: textOf(ending.events),
    createdAt: new Date(deps.clock.now()).toISOString(),
    usage: usageOf(ending.events),
  };
  await dropUnfinished(deps.table, turn, meta);
  const first = await pump.close(
    status,
    message,
    status === 'cancelled' ? await whyCancelled(deps, ending, reason) : reason,
  );
  // A person's stop came first: the turn ends as that.
  const written =
    first === 'cancelled'
      ? await pump.close('cancelled', message, await whyCancelled(deps, ending, 'stopped'))
      : first;
  deps.count(`Turns_${status}`);
  return written === 'written' ? 'over' : 'fenced';
}

/** A cancel says who asked only by what is left: a turn without any words was cancelled by a redaction. */
async function whyCancelled(
  deps: WorkDeps,
  { list }: Ending,
  reason: string | undefined,
): Promise<string | undefined> {
  return reason === 'stopped' && (await messagesOf(deps, list)).length === 0 ? 'redacted' : reason;
}

function usageOf(events: readonly Numbered[]): Usage {
  let [inputTokens, outputTokens] = [0, 0];
  for (const { event } of events) {
    if (event.type !== 'step-end' || !event.usage) continue;
    inputTokens += event.usage.inputTokens;
    outputTokens += event.usage.outputTokens;
  }
  return { inputTokens, outputTokens };
}

/** Characters of an answer that history keeps: more than any model is given of it, and less than a row holds. */
const MAX_REMEMBERED = 100_000;

/** Puts the messages and their answer into the conversation's history, each once; an answer stands behind the last one. */
export async function remember(
  deps: WorkDeps,
  said: { turn: string; meta: Meta; messages: readonly Meta[]; answer: string },
): Promise<void> {
  const now = deps.clock.now();
  const rows = said.messages.map((meta) => ({
    role: 'user' as const,
    ...placeOf(said.turn, meta),
    text: meta.input!,
    ...(meta.source.kind === 'matrix' && { name: meta.source.name, sender: meta.source.sender }),
  }));
  await Promise.all(rows.map((row) => putSaid(deps.table, said.meta.conversation, row, now)));
  const last = placeOf(said.turn, said.messages.at(-1) ?? said.meta);
  const text = said.answer.slice(0, MAX_REMEMBERED);
  const answer = { ...behind(last), role: 'assistant' as const, text };
  await putSaid(deps.table, said.meta.conversation, answer, now);
}
