/** Time and chance as the runtime has them. */
import { randomBytes } from 'node:crypto';
import type { Clock, Random } from '../../runtime/clock.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const over = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', over);
        resolve();
      };
      const timer = setTimeout(over, Math.max(0, ms));
      signal?.addEventListener('abort', over, { once: true });
    }),
};

export const systemRandom: Random = {
  unit: () => randomBytes(4).readUInt32BE() / 2 ** 32,
  id: (length) => randomBytes(length).toString('base64url').slice(0, length),
};
