/**
 * Runs the agent and pumps what it says into the log, until it waits for a person, has said everything (the log is then
 * in delivery), or the turn ends otherwise. The agent goes on only behind what the log has acknowledged: a tool never
 * runs before its call is stored, and a step's end is stored together with the question that follows it.
 */
import { AgentError, type AgentInput } from '../agent/agent.ts';
import { GivenUp, limited, TimeLimit } from '../runtime/limit.ts';
import type { TurnEvent } from '../turns/events.ts';
import type { Pump } from '../turns/pump.ts';
import type { WorkDeps } from './ports.ts';

export type Answered =
  | { readonly kind: 'delivering' }
  | { readonly kind: 'waiting' }
  /** The turn is to be closed as `error`, or as `cancelled` for a person. */
  | { readonly kind: 'ended'; readonly status: 'error' | 'cancelled'; readonly reason: string }
  | { readonly kind: 'fenced' };

export type Hooks = {
  /** Each piece of text, as it is written. */
  readonly onText: (text: string) => void;
  /** Whether the bot has left the room meanwhile: asked before the delivery begins. */
  readonly isGone: () => Promise<boolean>;
};

/** A reason in HEAD, in characters. */
const MAX_REASON = 25;

/** What is said when the agent said nothing. */
const NOTHING = 'I have nothing to say to that.';

export async function answer(deps: WorkDeps, pump: Pump, input: AgentInput, hooks: Hooks): Promise<Answered> {
  try {
    return await limited(deps.clock, input.deadline - deps.clock.now(), pump.signal, (signal) =>
      pumped(pump, input, deps.agent.run(input, signal), hooks, signal),
    );
  } catch (error) {
    if (error instanceof GivenUp || pump.signal.aborted) return stopped(pump);
    if (error instanceof TimeLimit) return { kind: 'ended', status: 'error', reason: 'time_limit' };
    const code = error instanceof AgentError ? error.code.slice(0, MAX_REASON) : 'agent_failed';
    deps.log('the agent failed', {
      turn: input.turn,
      code,
      error: error instanceof Error ? error.name : typeof error,
    });
    deps.count('AgentErrors');
    return { kind: 'ended', status: 'error', reason: code };
  }
}

const stopped = (pump: Pump): Answered =>
  pump.signal.reason === 'fenced'
    ? { kind: 'fenced' }
    : { kind: 'ended', status: 'cancelled', reason: 'stopped' };

async function pumped(
  pump: Pump,
  input: AgentInput,
  events: AsyncIterable<TurnEvent>,
  hooks: Hooks,
  signal: AbortSignal,
): Promise<Answered> {
  let said = input.steps.some(({ event }) => event.type === 'text' && event.text.trim() !== '');
  // A step's end is held back until it is known what follows: a question is stored together with it.
  let step: TurnEvent | undefined;
  for await (const event of events) {
    // Given up: the caller has gone on, and nothing of this run may reach the log any more.
    if (signal.aborted) return stopped(pump);
    const held = step ? [step] : [];
    step = undefined;
    if (event.type === 'waiting') {
      const written = await pump.wait([...held, event], event.until);
      return written === 'written' ? { kind: 'waiting' } : stopped(pump);
    }
    for (const one of held) pump.emit(one);
    // From here a takeover goes on behind the step.
    if (held.length > 0 && (await pump.flush()) !== 'written') return stopped(pump);
    await pump.room();
    if (event.type === 'step-end') {
      step = event;
      if (event.last) break;
      continue;
    }
    pump.emit(event);
    if (event.type === 'text') {
      said ||= event.text.trim() !== '';
      hooks.onText(event.text);
    }
    if (event.type === 'tool-call' || event.type === 'tool-result') {
      if ((await pump.flush()) !== 'written' || !pump.mayAct()) return stopped(pump);
    }
  }
  if (signal.aborted) return stopped(pump);
  if (await hooks.isGone()) return { kind: 'ended', status: 'cancelled', reason: 'not-in-room' };
  const end: TurnEvent = step ?? { type: 'step-end', last: true };
  if (!said) hooks.onText(NOTHING);
  const written = await pump.deliver(said ? [end] : [{ type: 'text', text: NOTHING }, end]);
  return written === 'written' ? { kind: 'delivering' } : stopped(pump);
}
