/** Waiting, but never for ever and with no timer left behind. Nothing here rejects. */

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

/** Resolves when every promise has settled, or after `ms` at the latest. */
export async function drain(running: Iterable<Promise<unknown>>, ms: number): Promise<void> {
  const settled = new AbortController();
  await Promise.race([Promise.allSettled(running), pause(ms, settled.signal)]);
  settled.abort();
}
