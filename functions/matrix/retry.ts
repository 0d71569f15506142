/**
 * Repeats a call to a homeserver that may be repeated: a read, or a write that does the same each time. What the
 * homeserver refused is final; anything else is tried again after a pause.
 */
import { backoff, type Clock, type Random } from '../runtime/clock.ts';
import { isMatrixError } from './client.ts';

export type Retrying = {
  readonly clock: Clock;
  readonly random: Random;
  /** How often the call is made, at most. */
  readonly tries: number;
  /** No call is begun after it aborts, and no pause goes on. */
  readonly signal?: AbortSignal;
  /** Monotonic ms: no pause reaches beyond it. */
  readonly until?: number;
};

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;

/** What `call` resolves with, or its last error. A pause is as long as the homeserver asks, at most 30 s. */
export async function withRetries<T>(
  call: () => Promise<T>,
  { clock, random, tries, signal, until = Number.POSITIVE_INFINITY }: Retrying,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await call();
    } catch (error) {
      if (!isMatrixError(error) || error.kind === 'refused') throw error;
      const pause = Math.min(
        MAX_PAUSE_MS,
        error.retryAfterMs ?? backoff(random, tried - 1, FIRST_PAUSE_MS, MAX_PAUSE_MS),
      );
      if (tried >= tries || signal?.aborted || clock.monotonic() + pause >= until) throw error;
      await clock.sleep(pause, signal);
      if (signal?.aborted) throw error;
    }
  }
}
