/**
 * One line of somebody's own agent, read and checked. What is of a known type comes out with its known fields and no
 * others; a type that is not known, or that only the turn itself may write, is passed over; a known one with wrong
 * fields is `agent_bad_line`, since an answer with a hole must not look whole.
 */
import { AgentError } from '../../agent/agent.ts';
import { at, isRecord, type Json } from '../../matrix/json.ts';
import type { TurnEvent, Usage } from '../../turns/events.ts';

/** Events that go into the turn as they are; the others say how it stands with it. */
export type Shown = Exclude<
  TurnEvent,
  { type: 'start' | 'step-start' | 'step-end' | 'rewind' | 'waiting' | 'done' | 'error' | 'turn_status' }
>;

export type AgentLine =
  | { readonly kind: 'start'; readonly resumable: boolean }
  | { readonly kind: 'shown'; readonly event: Shown }
  | { readonly kind: 'step-start' }
  | { readonly kind: 'step-end'; readonly last: boolean; readonly usage: Usage | undefined }
  | { readonly kind: 'waiting'; readonly question: string; readonly until: number | undefined }
  | { readonly kind: 'done' }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'unknown' };

/** Characters of an own type, and of a question. */
const MAX_TYPE = 100;
const MAX_QUESTION = 4_000;

const bad = (): never => {
  throw new AgentError('agent_bad_line');
};

export function readLine(text: string): AgentLine {
  const line = parsed(text);
  if (!isRecord(line)) return bad();
  const type = textOf(line, 'type');
  switch (type) {
    case 'start':
      return { kind: 'start', resumable: line.resumable === true };
    case 'text':
    case 'reasoning':
      return shown({ type, ...partOf(line), text: textOf(line, 'text') });
    case 'tool-call':
      return shown({ type, ...callOf(line), arguments: line.arguments ?? {} });
    case 'tool-result':
      return shown({ type, ...callOf(line), result: line.result ?? null, ...failureOf(line) });
    case 'step-start':
    case 'done':
      return { kind: type };
    case 'step-end':
      return { kind: type, last: line.last === true, usage: usageOf(line) };
    case 'waiting':
      return { kind: type, question: questionOf(line), until: untilOf(line) };
    case 'error':
      return { kind: type, code: codeOf(line) };
    case 'emotion':
    case 'control':
    case 'source':
    case 'file':
    case 'data':
      return shown({ ...ownFields(line), type });
    default:
      if (!type.startsWith('x-')) return { kind: 'unknown' };
      return type.length > MAX_TYPE ? bad() : shown({ ...ownFields(line), type: type as `x-${string}` });
  }
}

const shown = (event: Shown): AgentLine => ({ kind: 'shown', event });

/** The parser's own error would quote what was said, and errors are logged. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return bad();
  }
}

/** A line's cursor and time are given by the turn. */
function ownFields({ from, cursor, _t, ...fields }: Json): Json {
  return fields;
}

function textOf(line: Json, name: string): string {
  const text = line[name];
  return typeof text === 'string' ? text : bad();
}

function partOf({ part }: Json): { part?: number | string } {
  if (part === undefined) return {};
  return typeof part === 'number' || typeof part === 'string' ? { part } : bad();
}

const callOf = (line: Json) => ({ id: textOf(line, 'id'), name: textOf(line, 'name') });

const failureOf = (line: Json) => (line.failed === undefined ? {} : { failed: textOf(line, 'failed') });

function usageOf({ usage }: Json): Usage | undefined {
  if (usage === undefined) return undefined;
  const count = (name: keyof Usage): number => {
    const tokens = at(usage, name);
    return typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0 ? tokens : bad();
  };
  return { inputTokens: count('inputTokens'), outputTokens: count('outputTokens') };
}

function questionOf(line: Json): string {
  const question = textOf(line, 'question').trim();
  return question && question.length <= MAX_QUESTION ? question : bad();
}

function untilOf({ until }: Json): number | undefined {
  return until === undefined || Number.isSafeInteger(until) ? (until as number | undefined) : bad();
}

/** The agent's own code, if it looks like one; it is public. */
function codeOf({ code }: Json): string {
  return typeof code === 'string' && /^[a-z][a-z0-9_]{0,24}$/.test(code) ? code : 'agent_failed';
}
