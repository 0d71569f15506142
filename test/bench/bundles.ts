/** How much of each function is loaded at its start, in KB of minified JavaScript. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, functionNames, MAX_START_BYTES } from '../../bin/build/bundle.ts';
import type { Bench, Figure } from './bench.ts';

const figure: Figure = { unit: 'KB', target: `<= ${MAX_START_BYTES / 1_000}` };

export const bundles: Bench = {
  figures: Object.fromEntries(functionNames.map((name) => [`bundle_kb_${name}`, figure])),
  async measure() {
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-bench-'));
    try {
      const built = await Promise.all(functionNames.map((name) => bundle(name, folder)));
      return Object.fromEntries(
        built.map(({ name, startBytes }) => [`bundle_kb_${name}`, startBytes / 1_000]),
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
