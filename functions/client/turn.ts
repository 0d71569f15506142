/**
 * One turn as a client follows it: applies every line once, reconnects by its cursor whenever a connection ends before
 * the turn does, and is settled exactly once. One connection at a time.
 */

import { BEGINNING, type Cursor, cursorText } from '../turns/cursor.ts';
import { apply, createText, placeOf } from './apply.ts';
import { accepts, type Connection, linesOf, withConnection } from './connection.ts';
import { TurnpikeError } from './errors.ts';
import { drop, errorOf, type Http } from './http.ts';
import { createListeners, type Listener } from './listeners.ts';
import type { Platform } from './platform.ts';
import { createRetry, isPassing, retryAfter } from './retry.ts';
import type { EndStatus, Format, LogLine, Message, TurnState, WhenBusy } from './wire.ts';

export type Ended = {
  readonly status: EndStatus;
  readonly reason?: string;
  /** The whole answer; null if there is none, or it was not seen. */
  readonly message: Message | null;
};

/** A loop over it takes the lines from then on, rewinds included, to the last; leaving the loop doesn't end anything. */
export type Turn = AsyncIterable<LogLine> & {
  /** The turn's id, once it is known. */
  readonly id: Promise<string>;
  /** How it ended. Rejects with a {@link TurnpikeError} if it can't be known, and with the reason of an aborted signal. */
  readonly done: Promise<Ended>;
  /** The answer so far, from where following began. */
  readonly text: string;
  /** The last event that was applied. */
  readonly cursor: string;
  /** Calls back with each line that is applied, and with what is said of the stream. Returns the way to stop. */
  onEvent(listener: Listener): () => void;
  /** Stops the turn on the server, asking until there is an answer; following goes on to the turn's end. */
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

/** What became of a connection. */
type Outcome =
  | { readonly kind: 'ended'; readonly ended: Ended }
  /** The server sent us away, in good order. */
  | { readonly kind: 'bye' }
  | { readonly kind: 'broken'; readonly retryMs?: number };

const broken: Outcome = { kind: 'broken' };

/** A turn that the room has just asked for may not be there yet, ms. */
const UNKNOWN_MS = 20_000;

/** Starts the turn, or follows the one with that id from `after`. */
export function followTurn(following: Following, from: Start | { turn: string; after?: string }): Turn {
  const { platform, http, url, control, format, signal } = following;
  const listeners = createListeners();
  const words = createText();
  const retry = createRetry(platform);
  const id = Promise.withResolvers<string>();
  const done = Promise.withResolvers<Ended>();
  // Who doesn't ask need not hear of it.
  for (const one of [id.promise, done.promise]) one.catch(() => undefined);
  const began = platform.now();
  let turn = 'turn' in from ? from.turn : undefined;
  let place: Cursor = 'turn' in from && from.after !== undefined ? placeOf(from.after) : BEGINNING;
  let message: Message | null = null;
  if (turn !== undefined) id.resolve(turn);
  const path = () => `/turns/${encodeURIComponent(turn!)}`;

  function request({ signal, heard }: Connection): Promise<Response> {
    const more = { accept: accepts[format], signal, sent: heard };
    return turn === undefined
      ? http.send(control, { method: 'POST', path: '/turns', body: from, ...more })
      : http.send(url, { method: 'GET', path: `${path()}/events?after=${cursorText(place)}`, ...more });
  }

  async function answered(response: Response, connection: Connection): Promise<Outcome> {
    const { status } = response;
    if (status === 200) {
      turn ??= response.headers.get('x-turnpike-turn') ?? undefined;
      if (turn !== undefined) id.resolve(turn);
      return read(response, connection);
    }
    if (status === 204) return state(connection);
    const isEarly = status === 404 && place.seq === 0 && platform.now() - began < UNKNOWN_MS;
    if (!isPassing(response) && !isEarly) throw await errorOf(response);
    drop(response);
    return { kind: 'broken', retryMs: retryAfter(response) };
  }

  async function read(response: Response, { heard }: Connection): Promise<Outcome> {
    let isNew = false;
    const lines = linesOf(response, format, {
      heard() {
        heard();
        retry.heard();
      },
    });
    for await (const line of lines) {
      const applied = apply(place, line);
      if (applied.kind === 'gap') break;
      if (applied.kind === 'double') continue;
      place = applied.place;
      if (applied.kind === 'control') {
        listeners.tell(line);
        if (line.type !== 'bye') continue;
        retry.reset();
        // One that brought nothing must not be made again and again without a pause.
        return isNew ? { kind: 'bye' } : broken;
      }
      isNew = true;
      retry.reset();
      words.add(applied.line, place.seq);
      if (applied.line.type === 'done') message = applied.line.message;
      listeners.tell(applied.line);
      if (applied.line.type === 'turn_status') {
        const { status, reason } = applied.line;
        return { kind: 'ended', ended: { status, ...(reason !== undefined && { reason }), message } };
      }
    }
    return broken;
  }

  /** There is nothing left to show: how it ended, its state says. */
  async function state({ signal }: Connection): Promise<Outcome> {
    const { status, reason, message } = await http.json<TurnState>(url, {
      method: 'GET',
      path: path(),
      signal,
    });
    if (status === 'queued' || status === 'running' || status === 'waiting') return broken;
    return { kind: 'ended', ended: { status, ...(reason !== undefined && { reason }), message } };
  }

  async function connect(connection: Connection): Promise<Outcome> {
    try {
      return await answered(await request(connection), connection);
    } catch (error) {
      if (error instanceof TurnpikeError && !isPassing(error)) throw error;
      return broken;
    }
  }

  async function run(): Promise<Ended> {
    for (;;) {
      signal?.throwIfAborted();
      const outcome = await withConnection(platform, signal, connect);
      if (outcome.kind === 'ended') return outcome.ended;
      signal?.throwIfAborted();
      if (outcome.kind === 'broken') await retry.pause(outcome.retryMs, signal);
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
      return cursorText(place);
    },
    onEvent: listeners.on,
    async stop() {
      await id.promise;
      const patience = createRetry(platform);
      for (;;) {
        try {
          await http.json(control, { method: 'POST', path: `${path()}/stop`, body: {} });
          return;
        } catch (error) {
          if (error instanceof TurnpikeError && !isPassing(error)) throw error;
          await patience.pause();
        }
      }
    },
    [Symbol.asyncIterator]: () => listeners.lines(done.promise),
  };
}
