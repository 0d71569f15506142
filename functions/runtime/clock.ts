/**
 * Time and chance as modules receive them. No module reads the clock or draws randomness itself, so that a test
 * can run it under virtual time and replay it from a seed.
 */

export type Clock = {
  /** Wall clock, ms since the epoch. Clocks of two hosts are never compared more closely than a lease's margin. */
  now(): number;
  /** A clock that only moves forward, in ms; for durations inside one process. */
  monotonic(): number;
  /** Resolves after `ms`, or as soon as `signal` aborts; it never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type Random = {
  /** Uniform in [0, 1). */
  unit(): number;
  /** `length` characters of the base64url alphabet. */
  id(length: number): string;
};

/** Exponential back-off with jitter: `base · 2ⁿ`, at most `cap`, times a factor in [½, 1½). In ms. */
export function backoff(random: Random, attempt: number, base: number, cap: number): number {
  return Math.min(cap, base * 2 ** Math.min(attempt, 20)) * (0.5 + random.unit());
}
