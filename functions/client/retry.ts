/** How a client tries again: soon at first, then ever later, and not for ever. */
import { TurnpikeError } from './errors.ts';
import type { Platform } from './platform.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** Tries without any answer, about five minutes of them. Time itself would also count while a laptop sleeps. */
const MAX_SILENT_TRIES = 40;

export type Retry = {
  /** Waits before the next try, at least as long as the server asked for. Rejects with `unreachable` after too many. */
  pause(leastMs?: number, signal?: AbortSignal): Promise<void>;
  /** The server is there. */
  heard(): void;
  /** It works: the next pause is short again. */
  reset(): void;
};

export function createRetry({ sleep, random }: Pick<Platform, 'sleep' | 'random'>): Retry {
  let failures = 0;
  let silent = 0;
  return {
    async pause(leastMs = 0, signal) {
      if (++silent > MAX_SILENT_TRIES)
        throw new TurnpikeError(0, 'unreachable', 'the server does not answer');
      const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++) * (0.5 + random());
      // On top, lest all who were refused come back at once.
      await sleep(leastMs + ms, signal);
    },
    heard() {
      silent = 0;
    },
    reset() {
      failures = 0;
    },
  };
}

/** What may be otherwise the next time. */
export const isPassing = ({ status }: { readonly status: number }): boolean =>
  status === 429 || status >= 500;

const LONGEST_WAIT_MS = 5 * 60_000;

/** How long the server asked to be left alone, ms, within reason; 0 if it didn't say. */
export const retryAfter = ({ headers }: Pick<Response, 'headers'>): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(0, Number(headers.get('retry-after')) * 1_000 || 0));
