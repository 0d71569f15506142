import { defineConfig } from 'vitest/config';

/** The tests of `npm run test:services`: against real servers, which they install and start by themselves. */
export default defineConfig({
  test: {
    include: ['test/services/**/*.test.ts'],
    globalSetup: ['test/services/setup.ts'],
    setupFiles: ['test/services/orphan.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 90_000,
  },
});
