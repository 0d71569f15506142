/** What a tool is, and a call of one as the turn's log has it. */
import type { TurnEvent } from '../turns/events.ts';

export type Tool = {
  readonly name: string;
  readonly description: string;
  /** Asks the person it runs for before it runs. */
  readonly consent?: boolean;
  /** May be called again with the same key after an attempt that broke off. */
  readonly repeatable?: boolean;
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
  run(
    args: Readonly<Record<string, unknown>>,
    call: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<unknown>;
};

export type ToolCall = Extract<TurnEvent, { type: 'tool-call' }>;
