/**
 * One turn as a client follows it: applies every line once, reconnects by its cursor whenever a connection ends before
 * the turn does, and is settled exactly once. One connection at a time.
 */
import { apply, BEGINNING, createText, cursorOf, type Place, placeOf } from './apply.ts';
import { createDecoder } from './decode.ts';
import { TurnpikeError } from './errors.ts';
import { errorOf, type Http } from './http.ts';
import type { Platform } from './platform.ts';
import type { ControlLine, EndStatus, Format, LogLine, Message, TurnState, WhenBusy } from './wire.ts';

export type Ended = {
  readonly status: EndStatus;
  readonly reason?: string;
  readonly message: Message | null;
};

export type Turn = AsyncIterable<LogLine> & {
  /** The turn's id, once it is known. */
  readonly id: Promise<string>;
  /** How it ended. Rejects with a {@link TurnpikeError} if it can't be known, or when the signal aborts. */
  readonly done: Promise<Ended>;
  /** The answer so far. */
  readonly text: string;
  /** The last event that was applied. */
  readonly cursor: string;
  /** Calls back with each line that is applied, and with what is said of the stream. Returns the way to stop. */
  onEvent(told: (line: LogLine | ControlLine) => void): () => void;
  /** Stops the turn on the server; following goes on to its end. */
  stop(): Promise<void>;
};

export type Start = {
  readonly conversation: string;
  readonly text: string;
  readonly idempotencyKey: string;
  readonly whenBusy?: WhenBusy;
};

export type Following = {
  readonly platform: Platform;
  readonly http: Http;
  readonly url: string;
  /** The base URL for starts and stops. */
  readonly control: string;
  readonly format: Format;
  readonly signal?: AbortSignal | undefined;
};

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** A connection that brings not even a heartbeat for so long is dead, ms. */
const SILENT_MS = 30_000;
/** A turn that the room has just asked for may not be there yet, ms. */
const UNKNOWN_MS = 20_000;
/** Without any answer for so long, it is given up, ms. */
const GIVE_UP_MS = 5 * 60_000;

const accepts = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const;

/** Starts the turn, or follows the one with that id from `after`. */
export function followTurn(following: Following, from: Start | { turn: string; after?: string }): Turn {
  const { platform, http, signal } = following;
  const told = new Set<(line: LogLine | ControlLine) => void>();
  const words = createText();
  const id = Promise.withResolvers<string>();
  const done = Promise.withResolvers<Ended>();
  for (const one of [id.promise, done.promise]) one.catch(() => undefined);
  let turn = 'turn' in from ? from.turn : undefined;
  let place: Place = 'turn' in from && from.after !== undefined ? placeOf(from.after) : BEGINNING;
  let message: Message | null = null;
  if (turn !== undefined) id.resolve(turn);

  const tell = (line: LogLine | ControlLine) => {
    for (const one of told) one(line);
  };

  /** What became of a connection: `ended` with the turn; else it is to be made again, at once or after a pause. */
  async function read(response: Response, alive: () => void): Promise<Ended | 'bye' | 'broken'> {
    const decode = createDecoder(following.format);
    const reader = response.body!.getReader();
    try {
      for (;;) {
        const { done: over, value } = await reader.read();
        if (over) return 'broken';
        alive();
        for (const line of decode(value)) {
          const applied = apply(place, line);
          if (applied.kind === 'gap') return 'broken';
          if (applied.kind === 'double') continue;
          place = applied.place;
          if (applied.kind === 'control') {
            tell(line as ControlLine);
            if (line.type === 'bye') return 'bye';
            continue;
          }
          progressed();
          words.add(applied.line, place.seq);
          if (applied.line.type === 'done') message = applied.line.message;
          tell(applied.line);
          if (applied.line.type === 'turn_status') {
            const { status, reason } = applied.line;
            return { status, ...(reason !== undefined && { reason }), message };
          }
        }
      }
    } finally {
      // Whatever else comes is nobody's; a reader that is left open holds its connection.
      await reader.cancel().catch(() => undefined);
    }
  }

  let failures = 0;
  let since = platform.now();
  const progressed = () => {
    failures = 0;
    since = platform.now();
  };

  /** One connection. A {@link TurnpikeError} is final. */
  async function connect(): Promise<Ended | 'bye' | 'broken' | { readonly retryMs: number }> {
    const connection = new AbortController();
    const abort = () => connection.abort();
    signal?.addEventListener('abort', abort);
    let heard = platform.now();
    const watch = async () => {
      while (!connection.signal.aborted) {
        await platform.sleep(Math.max(100, heard + SILENT_MS - platform.now()), connection.signal);
        if (platform.now() - heard >= SILENT_MS) connection.abort();
      }
    };
    const watching = watch();
    try {
      const accept = accepts[following.format];
      const response =
        turn === undefined
          ? await http.send(following.control, {
              method: 'POST',
              path: '/turns',
              body: from,
              accept,
              signal: connection.signal,
            })
          : await http.send(following.url, {
              method: 'GET',
              path: `/turns/${turn}/events?after=${cursorOf(place)}`,
              accept,
              signal: connection.signal,
            });
      return await answered(response, () => {
        heard = platform.now();
      });
    } catch (error) {
      if (error instanceof TurnpikeError) throw error;
      return 'broken';
    } finally {
      signal?.removeEventListener('abort', abort);
      connection.abort();
      await watching;
    }
  }

  async function answered(response: Response, alive: () => void) {
    const { status } = response;
    if (status === 200) {
      turn ??= response.headers.get('x-turnpike-turn') ?? undefined;
      if (turn !== undefined) id.resolve(turn);
      return read(response, alive);
    }
    if (status === 204) return ended();
    const retryMs = Number(response.headers.get('retry-after')) * 1_000;
    if (status === 429 || status === 503) {
      await response.body?.cancel();
      return { retryMs: retryMs || LONGEST_PAUSE_MS };
    }
    const early = status === 404 && turn !== undefined && place.seq === 0;
    if (status >= 500 || (early && platform.now() - since < UNKNOWN_MS)) {
      await response.body?.cancel();
      return 'broken';
    }
    throw await errorOf(response);
  }

  /** The client has all there is: what the turn's state says is its end. */
  async function ended(): Promise<Ended | 'broken'> {
    const state = await http.json<TurnState>(following.url, {
      method: 'GET',
      path: `/turns/${turn}`,
      signal,
    });
    if (['queued', 'running', 'waiting'].includes(state.status)) return 'broken';
    const { reason } = state;
    const status = state.status as EndStatus;
    return { status, ...(reason !== undefined && { reason }), message: state.message };
  }

  async function run(): Promise<Ended> {
    for (;;) {
      signal?.throwIfAborted();
      const outcome = await connect();
      signal?.throwIfAborted();
      if (outcome === 'bye') continue;
      if (typeof outcome === 'object' && 'status' in outcome) return outcome;
      if (platform.now() - since > GIVE_UP_MS)
        throw new TurnpikeError(0, 'unreachable', 'there was no answer for five minutes');
      const pause =
        outcome === 'broken' ? Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++) : outcome.retryMs;
      await platform.sleep(pause * (0.5 + platform.random()), signal);
    }
  }

  run().then(done.resolve, (error: unknown) => {
    id.reject(error);
    done.reject(error);
  });

  return {
    id: id.promise,
    done: done.promise,
    get text() {
      return words.text();
    },
    get cursor() {
      return cursorOf(place);
    },
    onEvent(callback) {
      told.add(callback);
      return () => void told.delete(callback);
    },
    async stop() {
      await http.json(following.control, {
        method: 'POST',
        path: `/turns/${await id.promise}/stop`,
        body: {},
      });
    },
    [Symbol.asyncIterator]: () => iterate(told, done.promise),
  };
}

/** The lines from now on, to the turn's last; throws what `done` rejects with. */
async function* iterate(
  told: Set<(line: LogLine | ControlLine) => void>,
  done: Promise<Ended>,
): AsyncGenerator<LogLine, void> {
  const lines: LogLine[] = [];
  let wake = Promise.withResolvers<void>();
  let over = false;
  const hear = (line: LogLine | ControlLine) => {
    if ('from' in line) lines.push(line);
    wake.resolve();
  };
  const end = () => {
    over = true;
    wake.resolve();
  };
  told.add(hear);
  done.then(end, end);
  try {
    for (;;) {
      const line = lines.shift();
      if (line) yield line;
      else if (over) break;
      else {
        await wake.promise;
        wake = Promise.withResolvers();
      }
    }
    await done;
  } finally {
    told.delete(hear);
  }
}
