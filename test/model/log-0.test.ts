import { expect, it } from 'vitest';
import { runLogSchedule } from './log-model.ts';
import { runMany } from './many.ts';

it('the log keeps its promises: 10,000 of 20,000 random schedules', { timeout: 600_000 }, async () => {
  let largest = 0;
  await runMany(
    async (seed) => {
      const outcome = await runLogSchedule(seed);
      largest = Math.max(largest, outcome.maxHead);
      return outcome;
    },
    20_000,
    [0, 2],
  );
  // The check can fail only if something was written; its limit is kept at every write.
  expect(largest).toBeGreaterThan(600);
  expect(largest).toBeLessThanOrEqual(1_024);
});
