import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The model and fault tests first, so that none of them is left alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(model|faults)\//.test(moduleId);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

/** The tests of `npm test`: embedded stand-ins only, no server to install. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/services/**', 'test/bench/**'],
    pool: 'forks',
    // Some files wait more than they work.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 60_000,
    hookTimeout: 30_000,
  },
});
