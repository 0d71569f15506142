/** Runs many seeded schedules and says which seed failed first and how; `MODEL_SEED` moves the seeds, `MODEL_RUNS` their number. */
import { expect } from 'vitest';

export type Violations = { readonly violations: ReadonlyMap<string, string> };

const offset = Number(process.env.MODEL_SEED ?? 0);

/** `part` of `parts` equal parts of `total` schedules, each from its own seed. */
export async function runMany(
  run: (seed: number) => Promise<Violations>,
  total: number,
  [part, parts]: readonly [number, number] = [0, 1],
): Promise<void> {
  const runs = Math.ceil(Number(process.env.MODEL_RUNS ?? total) / parts);
  for (let n = 0; n < runs; n++) {
    const seed = offset + part * runs + n + 1;
    const { violations } = await run(seed);
    if (violations.size > 0)
      expect.fail(`seed ${seed}: ${[...violations].map(([what, detail]) => `${what} ${detail}`).join('; ')}`);
  }
}

/** The first seed of `most` at which a mutant shows; undefined if it never does. */
export async function firstViolation(
  run: (seed: number) => Promise<Violations>,
  most: number,
): Promise<number | undefined> {
  for (let seed = 1; seed <= most; seed++) if ((await run(seed)).violations.size > 0) return seed;
  return undefined;
}
