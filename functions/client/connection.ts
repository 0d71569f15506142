/**
 * One connection to a turn's stream: its lines as they come, until it ends, is called off, or nothing comes any more.
 * It is closed behind its use in any case.
 */
import { createDecoder } from './decode.ts';
import { TurnpikeError } from './errors.ts';
import { drop } from './http.ts';
import type { Platform } from './platform.ts';
import type { Format, Line } from './wire.ts';

/** A connection that brings not even a heartbeat for so long is dead, ms. */
const SILENT_MS = 30_000;

export const accepts = { ndjson: 'application/x-ndjson', sse: 'text/event-stream' } as const;

export type Connection = {
  readonly signal: AbortSignal;
  /** Something was sent or came: from now on the other side has time again. */
  heard(): void;
};

/** Calls `use` with a connection that is aborted by `signal`, by silence once it was heard, and when `use` is done. */
export async function withConnection<T>(
  { sleep, now }: Pick<Platform, 'sleep' | 'now'>,
  signal: AbortSignal | undefined,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = new AbortController();
  const abort = () => connection.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  let heardAt = 0;
  let watching: Promise<void> | undefined;
  const watch = async () => {
    while (!connection.signal.aborted) {
      const left = heardAt + SILENT_MS - now();
      if (left > 0) await sleep(left, connection.signal);
      else connection.abort();
    }
  };
  try {
    return await use({
      signal: connection.signal,
      heard() {
        heardAt = now();
        watching ??= watch();
      },
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    connection.abort();
    await watching;
  }
}

/**
 * The lines of an answer. An answer of another type is nobody's stream, and no retry makes it one (as with EventSource,
 * HTML standard 9.2.3).
 */
export async function* linesOf(
  response: Response,
  format: Format,
  { heard }: Pick<Connection, 'heard'>,
): AsyncGenerator<Line, void> {
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith(accepts[format])) {
    drop(response);
    throw new TurnpikeError(response.status, 'no_stream', `the answer is ${type || 'of no type'}`);
  }
  const decode = createDecoder(format);
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      yield* decode(value);
    }
  } finally {
    // Whatever else comes is nobody's; a reader that is left open holds its connection.
    reader.releaseLock();
    drop(response);
  }
}
