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
/** Characters of a type; what has a longer one, or none, is no event. */
const MAX_TYPE = 100;

/**
 * The event as a reader will get it: what `JSON.parse(JSON.stringify(event))` gives, at most 300 KB of it. The type and
 * the part come first, as they do from the rows: a line is the same bytes before it is stored and after.
 */
export function storable(event: TurnEvent): { event: TurnEvent; bytes: number } {
  let text: string | undefined;
  try {
    text = JSON.stringify(event);
  } catch {
    text = undefined;
  }
  const { type, part, ...fields } = ((text && JSON.parse(text)) || {}) as Fields;
  if (text === undefined || typeof type !== 'string' || type.length > MAX_TYPE)
    return storable({ type: 'error', code: 'not_json' });
  const bytes = Buffer.byteLength(text);
  const whole = { type, ...(part !== undefined && { part }), ...fields };
  if (bytes <= MAX_EVENT_BYTES) return { event: whole as TurnEvent, bytes };
  return storable(shortened(whole, bytes));
}

type Fields = Readonly<Record<string, unknown>>;

const MARK_BYTES = ',"cut":true'.length;
/** What holds less than this share of an event is not what makes it too large. */
const LEAST_SHARE = 1 / 8;

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const largestOf = (value: object): [name: string, value: unknown, bytes: number] =>
  Object.entries(value)
    .map(([name, inner]): [string, unknown, number] => [name, inner, sizeOf(inner)])
    .reduce((most, next) => (next[2] > most[2] ? next : most), ['', undefined, 0]);

/** Nearer to the limit by its longest text; a large field without one becomes the beginning of its JSON. */
function shortened({ type, ...fields }: Fields, bytes: number): TurnEvent {
  const [name, value, size] = largestOf(fields);
  const least = bytes * LEAST_SHARE;
  const less =
    size < least
      ? { json: JSON.stringify(fields) }
      : {
          ...fields,
          [name]: trimmed(value, bytes - MAX_EVENT_BYTES + MARK_BYTES, least) ?? JSON.stringify(value),
        };
  return { type, ...less, cut: true } as unknown as TurnEvent;
}

/** The value with its longest text cut by about so many bytes; undefined if none is long enough to matter. */
function trimmed(value: unknown, excess: number, least: number): unknown {
  if (typeof value === 'string')
    return value.slice(0, Math.floor(value.length * Math.max(0, 1 - excess / sizeOf(value))));
  if (typeof value !== 'object' || value === null) return undefined;
  const [name, inner, size] = largestOf(value);
  const less = size < least ? undefined : trimmed(inner, excess, least);
  if (less === undefined) return undefined;
  return Array.isArray(value) ? value.with(Number(name), less) : { ...value, [name]: less };
}
