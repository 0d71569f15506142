/**
 * What somebody's own agent says, as the events of a turn: steps are whole and in order, and the answer ends only when
 * the agent has said that it is over and its stream has ended cleanly. Nobody's safe point moves, and no question is
 * asked, unless the agent's first line says that it is `resumable`: of any other the whole answer is one step.
 */
import { AgentError } from '../../agent/agent.ts';
import type { TurnEvent, Usage } from '../../turns/events.ts';
import { readLine, type Shown } from './event.ts';

export type Circumstances = {
  /** Steps are finished already: an agent that is not resumable can't go on behind them. */
  readonly behindSteps: boolean;
  /** The person a question is for. */
  readonly principal: string;
  /** A question is answered by then, ms since the epoch. */
  readonly answeredBy: () => number;
};

type Waiting = Extract<TurnEvent, { type: 'waiting' }>;

/** Rejects with an {@link AgentError}, or with whatever `lines` rejects with, behind what came before. */
export async function* turnEvents(
  lines: AsyncIterable<string>,
  { behindSteps, principal, answeredBy }: Circumstances,
): AsyncGenerator<TurnEvent> {
  let resumable: boolean | undefined;
  let open = false;
  let usage: Usage | undefined;
  /** How the agent said that it is over: with its last step, or with a question. */
  let ending: 'last' | Waiting | undefined;

  const opened = function* (): Generator<TurnEvent> {
    if (!open) yield { type: 'step-start' };
    open = true;
  };
  const closed = (last: boolean): TurnEvent => {
    const event: TurnEvent = { type: 'step-end', ...(last && { last }), ...(usage && { usage }) };
    open = false;
    usage = undefined;
    return event;
  };

  for await (const text of lines) {
    // A blank line is a sign of life. What follows the end says nothing any more.
    if (ending || text.trim() === '') continue;
    const line = readLine(text);
    if (resumable === undefined) {
      resumable = line.kind === 'start' && line.resumable;
      if (behindSteps && !resumable) throw new AgentError('agent_not_resumable');
    }
    switch (line.kind) {
      case 'shown':
        yield* opened();
        yield* pieces(line.event);
        break;
      case 'step-start':
        yield* opened();
        break;
      case 'step-end':
        usage = sum(usage, line.usage);
        if (line.last) ending = 'last';
        else if (resumable && open) yield closed(false);
        break;
      case 'done':
        ending = 'last';
        break;
      case 'waiting': {
        if (!resumable) throw new AgentError('agent_not_resumable');
        if (open) yield closed(false);
        const until = Math.min(line.until ?? Number.POSITIVE_INFINITY, answeredBy());
        const { question } = line;
        ending = { type: 'waiting', question, choices: ['yes', 'no'], who: principal, until };
        break;
      }
      case 'error':
        throw new AgentError(line.code);
    }
  }
  if (!ending) throw new AgentError('agent_broke_off');
  if (ending !== 'last') return yield ending;
  yield* opened();
  yield closed(true);
}

const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one && other
    ? {
        inputTokens: one.inputTokens + other.inputTokens,
        outputTokens: one.outputTokens + other.outputTokens,
      }
    : (one ?? other);

/** UTF-16 units of one text event: however it is encoded, it then fits the log uncut. */
const MAX_TEXT = 32_768;

/** A long text in several events, which is the same text. */
function* pieces(event: Shown): Generator<Shown> {
  if ((event.type !== 'text' && event.type !== 'reasoning') || event.text.length <= MAX_TEXT) {
    yield event;
    return;
  }
  for (let from = 0, to = 0; from < event.text.length; from = to) {
    to = Math.min(from + MAX_TEXT, event.text.length);
    if (to < event.text.length && isHighSurrogate(event.text.charCodeAt(to - 1))) to--;
    yield { ...event, text: event.text.slice(from, to) };
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
