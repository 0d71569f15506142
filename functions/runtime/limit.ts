/** A time limit around one piece of work. The work is told by its signal; whether it listens or not, the caller goes on. */
import type { Clock } from './clock.ts';

/** The work took longer than its limit. */
export class TimeLimit extends Error {
  override readonly name = 'TimeLimit';
  constructor(ms: number) {
    super(`not done within ${ms} ms`);
  }
}

/** The work was given up because the caller's own signal aborted. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
}

/** Settles with `work`, or rejects with {@link TimeLimit} after `ms`, or with {@link GivenUp} once `signal` aborts. */
export async function limited<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const inner = new AbortController();
  const settled = new AbortController();
  const giveUp = () => inner.abort(new GivenUp());
  if (signal?.aborted) giveUp();
  signal?.addEventListener('abort', giveUp, { once: true });
  const timer = clock.sleep(ms, settled.signal).then(() => inner.abort(new TimeLimit(ms)));
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(inner.signal.reason);
    if (inner.signal.aborted) fail();
    else inner.signal.addEventListener('abort', fail, { once: true });
  });
  aborted.catch(() => undefined);
  try {
    return await Promise.race([work(inner.signal), aborted]);
  } finally {
    signal?.removeEventListener('abort', giveUp);
    settled.abort();
    await timer;
  }
}
