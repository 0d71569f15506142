/**
 * What can happen in a turn, as events of its log. Anything JSON can hold survives the log; `storable` makes an event
 * so before it gets its number, and turns what JSON cannot hold into one `error` event instead of a dead turn.
 */

export type Usage = { readonly inputTokens: number; readonly outputTokens: number };

/** The agent's whole answer, as `done` carries it and `FINAL` keeps it. */
export type Message = {
  readonly id: string;
  readonly role: 'assistant';
  readonly content: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly usage?: Usage;
};

/** How a turn ended. */
export type EndStatus = 'complete' | 'error' | 'cancelled';
export type Choice = 'yes' | 'no';

export type TurnEvent =
  /** Always the first, alone: the turns whose messages this turn answers, oldest first, its own included. */
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
  /** A step is whole: a takeover goes on behind it. `last` says that no step follows. */
  | { readonly type: 'step-end'; readonly last?: boolean; readonly usage?: Usage }
  /** The attempt before broke off: what lies behind `to` is no longer part of the turn. */
  | { readonly type: 'rewind'; readonly to: number }
  /** The turn goes on when `from` answers; at `until` (ms) the answer is no. */
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

/** An event with its number in the log, counted from 1 over all attempts. */
export type Numbered = { readonly seq: number; readonly event: TurnEvent };

/** Events that a live client sees only once they are stored: what they say must be true. */
export const afterCommit: ReadonlySet<string> = new Set(['waiting', 'done', 'error', 'turn_status']);

/** UTF-8 bytes of an event's JSON; a larger one is cut and marked with `cut`. */
export const MAX_EVENT_BYTES = 300_000;

/** The event as a reader will get it: what `JSON.parse(JSON.stringify(event))` gives, at most 300 KB of it. */
export function storable(event: TurnEvent): { event: TurnEvent; bytes: number } {
  let text: string | undefined;
  try {
    text = JSON.stringify(event);
  } catch {
    text = undefined;
  }
  if (text === undefined) return storable({ type: 'error', code: 'not_json' });
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_EVENT_BYTES) return { event: JSON.parse(text) as TurnEvent, bytes };
  return storable(shortened(JSON.parse(text) as Record<string, unknown>, bytes - MAX_EVENT_BYTES));
}

/** Shortens the largest field by at least `excess` bytes; a field that is no text becomes the beginning of its JSON. */
function shortened(event: Record<string, unknown>, excess: number): TurnEvent {
  const sizes = Object.keys(event)
    .filter((name) => name !== 'type')
    .map((name) => [name, JSON.stringify(event[name])] as const)
    .sort((a, b) => b[1].length - a[1].length);
  const [name, json] = sizes[0]!;
  const value = event[name];
  const text = typeof value === 'string' ? value : json;
  // A character takes at least one byte, so cutting `excess` characters and the mark's own room is enough.
  const keep = Math.max(0, Math.min(text.length - excess - 20, MAX_EVENT_BYTES / 2));
  return { ...event, [name]: text.slice(0, keep), cut: true } as unknown as TurnEvent;
}
