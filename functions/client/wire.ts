/**
 * The wire as a client sees it: events and lines are the server's own types, which the package carries along; the answers
 * besides are spelled here, and a test holds their words equal to the server's.
 */
import type { EndStatus, Message, Usage } from '../turns/events.ts';

export type { Choice, EndStatus, Message, TurnEvent, Usage } from '../turns/events.ts';
export type { ControlLine, Line, LogLine } from '../turns/lines.ts';

export type Status = EndStatus | 'queued' | 'running' | 'waiting';

/** What `GET /turns/{turn}` answers. */
export type TurnState = {
  readonly turn: string;
  readonly status: Status;
  readonly attempt: number;
  readonly cursor: string;
  readonly reason?: string;
  /** Null until the turn is over, and when it is forgotten. */
  readonly message: Message | null;
  readonly usage: Usage | null;
};
export type RunningTurn = Pick<TurnState, 'turn' | 'status' | 'attempt' | 'cursor'>;
export type WhenBusy = 'reject' | 'enqueue' | 'interrupt';
export type Format = 'ndjson' | 'sse';
