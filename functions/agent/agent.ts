/**
 * The port to whatever answers: one turn's work as a stream of events. An agent is pulled: it goes on only when its
 * last event has been taken, and what it must not do before the log has it (running a tool, going on after a step)
 * waits for exactly that. It ends after `waiting`, after a `step-end` with `last`, or by throwing.
 */
import type { Choice, Numbered, TurnEvent } from '../turns/events.ts';
import type { Tool, ToolCall } from './tool.ts';

/** A message the turn answers. */
export type Asked = {
  readonly event: string;
  readonly sender: string;
  readonly name: string;
  readonly text: string;
};

/** What was said before, oldest first. */
export type Earlier = { readonly role: 'user' | 'assistant'; readonly name?: string; readonly text: string };

export type AgentInput = {
  readonly turn: string;
  readonly attempt: number;
  readonly principal: string;
  /** In a group the messages are many people's, and are shown to a model as JSON lines (`groupLine`). */
  readonly roomKind: 'direct' | 'group' | 'http';
  /** At least one, oldest first. */
  readonly asked: readonly Asked[];
  readonly history: readonly Earlier[];
  /** The room's last messages word for word, oldest first; empty outside of groups. */
  readonly recent: readonly Asked[];
  /** Events of the steps that are already done: they are shown, and not done again. */
  readonly steps: readonly Numbered[];
  /** Calls an earlier attempt started and never finished: whether they took effect is unknown. */
  readonly started: readonly ToolCall[];
  /** The answer to the question the last step ended with. */
  readonly consent?: { readonly choice: Choice; readonly by: string };
  /** The tools offered, already narrowed to what is allowed. */
  readonly tools: readonly Tool[];
  /** ms since the epoch; the attempt is ended then. */
  readonly deadline: number;
};

export type Agent = {
  /** `signal` aborts when the turn is cancelled, taken over or out of time. */
  run(input: AgentInput, signal: AbortSignal): AsyncIterable<TurnEvent>;
};

/** The agent failed for a reason a person may be told. `code` is public; `cause` goes to the log only. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: string;
  constructor(code: string, options?: ErrorOptions) {
    super(`the agent failed: ${code}`, options);
    this.code = code;
  }
}

/** A group's message as a model sees it: one JSON object a line, so that no name or text can imitate another person's line. */
export const groupLine = ({ name, event, text }: Asked): string =>
  JSON.stringify({ from: cleanName(name), id: event, text });

/** A display name without control, bidirectional and line characters, at most 64 characters. */
export function cleanName(name: string): string {
  const clean = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim();
  return Array.from(clean).slice(0, 64).join('');
}
