/**
 * Somebody's own agent, behind a transport that carries one request there and a stream of bytes back. Whatever goes wrong
 * on the way is an {@link AgentError} behind the events that were received; nothing is ever asked twice. When its signal
 * aborts it ends at once and leaves the stream, which does not stop the other side.
 */
import { type Agent, AgentError } from '../../agent/agent.ts';
import type { Clock } from '../../runtime/clock.ts';
import { limited, TimeLimit } from '../../runtime/limit.ts';
import { turnEvents } from './events.ts';
import { linesOf } from './lines.ts';
import { finishedSteps, requestOf } from './request.ts';

/**
 * Sends the request and yields the answer's bytes. It ends only when the other side has ended without an error. It
 * rejects with `agent_unavailable` if there is no answer, `agent_failed` if the other side says that it failed, and with
 * anything at all if the stream breaks; at the latest when `signal` aborts.
 */
export type Transport = (request: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

/** The longest wait for the first bytes and between any two, ms. */
export const SILENCE_MS = 60_000;
/** The longest that a question stays open, ms. */
const QUESTION_MS = 3_600_000;

export function ownAgent(transport: Transport, clock: Clock): Agent {
  return {
    async *run(input, signal) {
      if (signal.aborted) return;
      const left = new AbortController();
      const leave = AbortSignal.any([signal, left.signal]);
      const chunks = withinTime(clock, transport(requestOf(input), leave), leave);
      const events = turnEvents(linesOf(chunks), {
        behindSteps: finishedSteps(input).length > 0,
        principal: input.principal,
        answeredBy: () => clock.now() + QUESTION_MS,
      });
      try {
        for await (const event of events) {
          if (signal.aborted) return;
          yield event;
        }
      } catch (error) {
        if (!signal.aborted) throw publicly(error);
      } finally {
        left.abort();
      }
    },
  };
}

/** The bytes as long as none is waited for too long. A transport that hangs is left where it is: its signal ends it. */
async function* withinTime(
  clock: Clock,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const next = await limited(clock, SILENCE_MS, signal, () => iterator.next());
    if (next.done) return;
    yield next.value;
  }
}

function publicly(error: unknown): AgentError {
  if (error instanceof AgentError) return error;
  return new AgentError(error instanceof TimeLimit ? 'agent_silent' : 'agent_broke_off', { cause: error });
}
