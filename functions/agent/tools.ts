/**
 * Tools and their two gates: an agent is offered what the allow-list names, and every call is checked against the same
 * list again right before it runs. An error of a tool is an observation for the model, never the end of the turn; every
 * call gets exactly one result.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../runtime/clock.ts';
import { limited, TimeLimit } from '../runtime/limit.ts';
import type { TurnEvent } from '../turns/events.ts';
import type { AgentInput } from './agent.ts';
import type { Tool, ToolCall } from './tool.ts';

export type Failure = 'not_permitted' | 'invalid_request' | 'execution_error' | 'timeout';

/** A tool throws this to say that its arguments were wrong; the hint reaches the model. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
}

/** The offer gate. A list that is absent, empty or unreadable allows nothing. */
export function offered(catalog: readonly Tool[], allowed: readonly string[] | undefined): Tool[] {
  return catalog.filter((tool) => allowed?.includes(tool.name));
}

/** Equal calls of one turn have equal keys but for their count, in every attempt. */
export function callKey(turn: string, call: ToolCall, count: number): string {
  return createHash('sha256')
    .update(JSON.stringify([turn, call.name, canonicalJson(call.arguments), count]))
    .digest('base64url');
}

const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/**
 * Runs one call whose `tool-call` event the log already has. The execution gate is asked first; a call that an earlier
 * attempt started is not run again unless its tool is declared repeatable.
 */
export async function runCall(
  { clock, timeoutMs }: { readonly clock: Clock; readonly timeoutMs: number },
  input: AgentInput,
  call: ToolCall,
  count: number,
  signal: AbortSignal,
): Promise<TurnEvent> {
  const result = (value: unknown, failed?: Failure): TurnEvent => ({
    type: 'tool-result',
    id: call.id,
    name: call.name,
    result: value,
    ...(failed && { failed }),
  });
  const tool = input.tools.find(({ name }) => name === call.name);
  if (!tool) return result('There is no such tool here.', 'not_permitted');
  if (tool.consent && input.consent?.choice !== 'yes') return result('The person said no.', 'not_permitted');
  const before = input.started.some((one) => one.id === call.id);
  if (before && !tool.repeatable)
    return result('Outcome unknown: an earlier attempt may have done this.', 'execution_error');
  const args =
    call.arguments && typeof call.arguments === 'object' && !Array.isArray(call.arguments)
      ? call.arguments
      : {};
  const key = callKey(input.turn, call, count);
  try {
    const run = (limit: AbortSignal) => tool.run(args as Record<string, unknown>, { key, signal: limit });
    return result(await limited(clock, timeoutMs, signal, run));
  } catch (error) {
    if (error instanceof InvalidRequest) return result(error.message, 'invalid_request');
    return result('The tool failed.', error instanceof TimeLimit ? 'timeout' : 'execution_error');
  }
}
