import { defineConfig } from 'vitest/config';

/** The tests of `npm test`: embedded stand-ins only, no server to install. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/services/**', 'test/bench/**'],
    pool: 'forks',
    // Some files wait more than they work.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
