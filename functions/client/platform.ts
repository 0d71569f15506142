/** What a client takes from where it runs: a browser, Node or a worker. A test gives it all of it instead. */

export type Platform = {
  readonly fetch: typeof fetch;
  /** Resolves after `ms`, or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Uniform in [0, 1). */
  random(): number;
  /** ms, only for durations. */
  now(): number;
  /** A new idempotency key. */
  key(): string;
};

export const platform: Platform = {
  fetch: (...request) => fetch(...request),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      signal?.addEventListener('abort', over);
    }),
  random: () => Math.random(),
  now: () => performance.now(),
  // `randomUUID` is missing on a page without TLS.
  key: () => crypto.getRandomValues(new Uint32Array(4)).join('-'),
};
