/**
 * The local model: a deterministic agent for development and tests. It answers from its input alone and streams word by
 * word, so the whole path can be seen without a provider. What it understands, in plain requests:
 *
 *   write 300 words | write 30 KB      that much text, as markdown
 *   count to 20                        a number a second, a long turn
 *   ask me first: TEXT                 a question; it goes on with the yes or no
 *   remember TEXT                      the tool `pin_room_fact`, if offered
 *   what did we say about TEXT         the tool `search_channel_memory`, if offered, else its history
 *   fail                               a model error
 *
 * and anything else is answered by saying it back.
 */
import type { Clock } from '../runtime/clock.ts';
import type { TurnEvent, Usage } from '../turns/events.ts';
import { type Agent, AgentError, type AgentInput } from './agent.ts';
import { manuscript } from './manuscript.ts';
import type { ToolCall } from './tool.ts';
import { runCall } from './tools.ts';

export type LocalOptions = {
  readonly clock: Clock;
  /** Pause before each word, ms; 0 = at full speed. */
  readonly wordDelayMs: number;
};

const TOOL_MS = 30_000;
const QUESTION_MS = 3_600_000;

export function localAgent({ clock, wordDelayMs }: LocalOptions): Agent {
  async function* say(
    text: string,
    part: number,
    signal: AbortSignal,
    delay: number,
  ): AsyncGenerator<TurnEvent> {
    for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) {
      if (delay > 0) await clock.sleep(delay, signal);
      if (signal.aborted) return;
      yield { type: 'text', part, text: word };
    }
  }

  async function* call(
    input: AgentInput,
    name: string,
    args: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent, TurnEvent> {
    const made: ToolCall = { type: 'tool-call', id: `${name}-1`, name, arguments: args };
    yield made;
    const result = await runCall({ clock, timeoutMs: TOOL_MS }, input, made, 1, signal);
    yield result;
    return result;
  }

  async function* answer(
    input: AgentInput,
    request: Request,
    observed: TurnEvent | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<TurnEvent> {
    yield { type: 'step-start' };
    if (request.kind === 'fail') throw new AgentError('model_unavailable');
    const text = reply(input, request, observed);
    yield* say(text, 1, signal, request.kind === 'count' ? 1_000 : wordDelayMs);
    // What was cut short is no whole step.
    if (!signal.aborted) yield stepEnd(input, text, true);
  }

  return {
    async *run(input, signal) {
      const request = read(input);
      const done = input.steps.findLast(({ event }) => event.type === 'step-end');
      if (!done && request.kind === 'ask') {
        yield { type: 'step-start' };
        const question = `May I answer this: ${request.text}`;
        yield stepEnd(input, question);
        yield {
          type: 'waiting',
          question,
          choices: ['yes', 'no'],
          who: input.principal,
          until: clock.now() + QUESTION_MS,
        };
        return;
      }
      const tool = !done && toolOf(input, request);
      let observed = input.steps.findLast(({ event }) => event.type === 'tool-result')?.event;
      if (tool) {
        yield { type: 'step-start' };
        observed = yield* call(input, tool.name, tool.args, signal);
        yield stepEnd(input, JSON.stringify(tool.args));
      }
      if (!signal.aborted) yield* answer(input, request, observed, signal);
    },
  };
}

type Request =
  | { kind: 'write'; amount: number; unit: 'words' | 'bytes' }
  | { kind: 'count'; to: number }
  | { kind: 'ask' | 'remember' | 'recall' | 'echo'; text: string }
  | { kind: 'fail' };

/** The last message decides; the ones before it are answered with it. */
function read(input: AgentInput): Request {
  const text = input.asked
    .at(-1)!
    .text.replace(/^\s*@?[\w-]+[:,]?\s+(?=(write|count|ask me first|remember|what did we|fail)\b)/i, '')
    .trim();
  const write = /^write (\d{1,7}) (words|kb)\b/i.exec(text);
  if (write)
    return write[2]!.toLowerCase() === 'kb'
      ? { kind: 'write', amount: Number(write[1]) * 1024, unit: 'bytes' }
      : { kind: 'write', amount: Number(write[1]), unit: 'words' };
  const count = /^count to (\d{1,4})\b/i.exec(text);
  if (count) return { kind: 'count', to: Number(count[1]) };
  if (/^fail\b/i.test(text)) return { kind: 'fail' };
  const ask = /^ask me first:?\s+(.+)$/is.exec(text)?.[1];
  if (ask) return { kind: 'ask', text: ask };
  const remember = /^remember (?:that )?(.+)$/is.exec(text)?.[1];
  if (remember) return { kind: 'remember', text: remember };
  const recall = /^what did we say about (.+?)\??$/is.exec(text)?.[1];
  if (recall) return { kind: 'recall', text: recall };
  return { kind: 'echo', text };
}

function toolOf(input: AgentInput, request: Request): { name: string; args: unknown } | undefined {
  const has = (name: string) => input.tools.some((tool) => tool.name === name);
  if (request.kind === 'remember' && has('pin_room_fact'))
    return { name: 'pin_room_fact', args: { fact: request.text } };
  if (request.kind === 'recall' && has('search_channel_memory'))
    return { name: 'search_channel_memory', args: { query: request.text } };
  return undefined;
}

function reply(
  input: AgentInput,
  request: Exclude<Request, { kind: 'fail' }>,
  observed: TurnEvent | undefined,
): string {
  switch (request.kind) {
    case 'count':
      return `${Array.from({ length: request.to }, (_, n) => n + 1).join(', ')}.`;
    case 'write':
      return manuscript(request.amount, request.unit);
    case 'ask':
      return input.consent?.choice === 'yes'
        ? `You said yes. ${request.text}`
        : 'You said no, so I leave it.';
    case 'remember':
      return observed ? 'I will remember that.' : 'I have no tool here to remember that with.';
    case 'recall':
      return observed?.type === 'tool-result'
        ? `I found: ${JSON.stringify(observed.result)}`
        : recalled(input, request.text);
    default:
      return echoed(input);
  }
}

function recalled(input: AgentInput, words: string): string {
  const said = [...input.history.map(({ text }) => text), ...input.recent.map(({ text }) => text)];
  const found = said.filter((text) => text.toLowerCase().includes(words.toLowerCase()));
  return found.length > 0
    ? `We said: ${found.map((text) => `“${text}”`).join(', ')}`
    : `I remember nothing about ${words}.`;
}

function echoed({ asked, history }: AgentInput): string {
  const said = asked.map(({ text }) => text).join('\n');
  const before = history.length > 0 ? ` (${history.length} earlier messages)` : '';
  return `${asked.at(-1)!.name} said${before}: ${said}`;
}

/** Tokens estimated as a quarter of the characters, so that usage is not zero in development. */
function stepEnd({ asked, history, steps }: AgentInput, said: string, last = false): TurnEvent {
  const tokens = (characters: number) => Math.ceil(characters / 4);
  const usage: Usage = {
    inputTokens: tokens(JSON.stringify([asked, history, steps]).length),
    outputTokens: tokens(said.length),
  };
  return { type: 'step-end', ...(last && { last }), usage };
}
