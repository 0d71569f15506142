/** What the work on a turn needs from the world around it, and the limits it keeps. */
import type { Agent } from '../agent/agent.ts';
import type { Tool } from '../agent/tool.ts';
import type { MatrixClient } from '../matrix/client.ts';
import type { Clock, Random } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';

/** Sends a turn to its workers. A repetition under the same deduplication id within 5 minutes is one message. */
export type TurnQueue = {
  /** The FIFO queue, in the order of the conversation. */
  send(turn: string, conversation: string, deduplication: string): Promise<void>;
  /** The watchdog queue, after a delay of at most 15 min: whoever receives it takes the turn over if its lease is over. */
  watch(turn: string, delaySeconds: number): Promise<void>;
};

/** Counts what an operator wants to see. Names are the metric's; no dimension holds an id. */
export type Count = (name: string, value?: number) => void;
/** Says what happened, with ids and codes only: never a token, a query string or a message's text. */
export type Log = (
  message: string,
  details?: Readonly<Record<string, string | number | boolean | undefined>>,
) => void;

/** A message of the room, as memory has it. */
export type Recent = {
  readonly event: string;
  readonly sender: string;
  readonly name: string;
  readonly text: string;
};

export type WorkDeps = {
  /** The tables of turns and of the gate, both patient. */
  readonly table: Table;
  readonly gate: Table;
  readonly clock: Clock;
  readonly random: Random;
  readonly matrix: MatrixClient;
  readonly bot: string;
  /** What group rooms get; under `silent` nothing at all. */
  readonly policy: 'silent' | 'gate' | 'answer';
  readonly agent: Agent;
  readonly queue: TurnQueue;
  readonly count: Count;
  readonly log: Log;
  /** The room's last messages that are in no summary yet, oldest first. */
  recent(room: string, limit: number): Promise<Recent[]>;
  /** Brings memory's list of the room's members up to date. */
  refreshRoster(room: string): Promise<void>;
  /** What the agent may use, by the allow-list. */
  readonly tools: readonly Tool[];
  readonly options: WorkOptions;
};

export type WorkOptions = {
  /** `MATRIX_MENTION_ASKER`: the first part of an answer names the asker. */
  readonly mentionAsker: boolean;
  /** `MATRIX_LIVE_EDITS`: a draft grows in the room while the answer is written. */
  readonly liveEdits: boolean;
};

/** One invocation of the worker: how long it still has, in ms. */
export type Invocation = { remaining(): number };

/** How a queue message was handled: done with, or to be seen again after that many seconds. */
export type Handled = { readonly kind: 'done' } | { readonly kind: 'again'; readonly seconds: number };
export const done: Handled = { kind: 'done' };
export const again = (seconds: number): Handled => ({ kind: 'again', seconds });
