/** Waiting in tests: for what is to become true, by looking again and again, and never for longer than it may take. */

const EVERY_MS = 40;

/** What `look` returns once it is neither undefined nor false. `what` says in the failure what never came. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false> | T | undefined | false,
  deadlineMs = 20_000,
): Promise<T> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (performance.now() > end) throw new Error(`waited ${deadlineMs / 1_000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
