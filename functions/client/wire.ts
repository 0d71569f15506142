/**
 * The wire as a client sees it, spelled out once more so that the package stands alone. A test holds these types equal to
 * those the server writes with.
 */

export type Usage = { readonly inputTokens: number; readonly outputTokens: number };
export type Message = {
  readonly id: string;
  readonly role: 'assistant';
  readonly content: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly usage?: Usage;
};
export type EndStatus = 'complete' | 'error' | 'cancelled';
export type Status = EndStatus | 'queued' | 'running' | 'waiting';
export type Choice = 'yes' | 'no';

export type TurnEvent =
  | { readonly type: 'start'; readonly messages: readonly string[] }
  | { readonly type: 'text' | 'reasoning'; readonly part?: number | string; readonly text: string }
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly arguments: unknown }
  | {
      readonly type: 'tool-result';
      readonly id: string;
      readonly name: string;
      readonly result: unknown;
      readonly failed?: string;
    }
  | { readonly type: 'step-start' }
  | { readonly type: 'step-end'; readonly last?: boolean; readonly usage?: Usage }
  | { readonly type: 'rewind'; readonly to: number }
  | {
      readonly type: 'waiting';
      readonly question: string;
      readonly choices: readonly Choice[];
      readonly who: string;
      readonly until: number;
      readonly call?: string;
    }
  | { readonly type: 'done'; readonly message: Message }
  | { readonly type: 'error'; readonly code: string; readonly message?: string }
  | {
      readonly type: 'turn_status';
      readonly status: EndStatus;
      readonly reason?: string;
      readonly into?: string;
    }
  | { readonly type: 'emotion' | 'control' | 'source' | 'file' | 'data'; readonly [field: string]: unknown }
  | { readonly type: `x-${string}`; readonly [field: string]: unknown };

/** A line that stands for events of the log: the last of them is `cursor`, the first `from`. */
export type LogLine = TurnEvent & { readonly from: number; readonly cursor: string; readonly _t?: number };
export type ControlLine =
  | { readonly type: 'queued' }
  | { readonly type: 'caught-up' }
  | { readonly type: 'gap'; readonly after: string; readonly cursor: string }
  | { readonly type: 'bye'; readonly cursor: string };
export type Line = LogLine | ControlLine;

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
