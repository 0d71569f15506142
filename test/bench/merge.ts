/** Merging 20,000 deltas into the rows that are stored, as the words of a model come: one type, one part, many lengths. */
import type { Numbered } from '../../functions/turns/events.ts';
import { encodeRows, toRows } from '../../functions/turns/rows.ts';
import type { Bench } from './bench.ts';
import { median } from './statistics.ts';
import { tokens } from './tokens.ts';

const DELTAS = 20_000;
const ROUNDS = 30;

export const merge: Bench = {
  figures: { merge_20000_ms: { unit: 'ms', target: '< 50' } },
  async measure() {
    const events: Numbered[] = tokens(DELTAS).map((text, n) => ({
      seq: n + 1,
      event: { type: 'text', part: 1, text },
    }));
    const rounds = Array.from({ length: ROUNDS }, () => {
      const began = performance.now();
      encodeRows(toRows(events));
      return performance.now() - began;
    });
    return { merge_20000_ms: median(rounds) };
  },
};
