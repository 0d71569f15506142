/**
 * A table that repeats an unanswered call, always the identical one, until it is answered or `until` (monotonic ms)
 * has passed; then the last {@link Unavailable} is thrown. It is right wherever a condition recognises its own write.
 */
import { backoff, type Clock, type Random } from './clock.ts';
import { type Table, Unavailable } from './table.ts';

export function patient(table: Table, clock: Clock, random: Random, until: () => number): Table {
  const insist = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let attempt = 0; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof Unavailable) || clock.monotonic() >= until()) throw error;
        await clock.sleep(backoff(random, attempt, 50, 1_000));
      }
    }
  };
  return {
    get: (key) => insist(() => table.get(key)),
    getMany: (keys) => insist(() => table.getMany(keys)),
    put: (write) => insist(() => table.put(write)),
    update: (write) => insist(() => table.update(write)),
    remove: (write) => insist(() => table.remove(write)),
    query: (range) => insist(() => table.query(range)),
    count: (range) => insist(() => table.count(range)),
    due: (shard, time, limit) => insist(() => table.due(shard, time, limit)),
  };
}
