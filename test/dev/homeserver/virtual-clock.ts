/** A clock that stands still until a test moves it, and chance drawn from a seed. */
import { setImmediate } from 'node:timers/promises';
import type { Clock, Random } from '../../../functions/runtime/clock.ts';

export type VirtualClock = Clock & {
  /** Moves time, ending each sleep that falls due in its turn and letting its consequences happen. */
  advance(ms: number): Promise<void>;
  /** How many sleep. */
  sleepers(): number;
};

export function virtualClock(start = 1_800_000_000_000): VirtualClock {
  let now = start;
  let sleeping: { readonly at: number; readonly end: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now - start,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve();
        const sleeper = { at: now + ms, end: resolve };
        sleeping.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleeping = sleeping.filter((one) => one !== sleeper);
          resolve();
        });
      }),
    async advance(ms) {
      const until = now + ms;
      await settled();
      for (;;) {
        const next = sleeping.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        sleeping = sleeping.filter((one) => one !== next);
        now = Math.max(now, next.at);
        next.end();
        await settled();
      }
      now = until;
    },
    sleepers: () => sleeping.length,
  };
}

/** Lets everything happen that waits for nothing but its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await setImmediate();
}

/** Waits for something that needs real I/O, a few seconds at most. */
export async function until(holds: () => boolean): Promise<void> {
  const patience = Date.now() + 5_000;
  while (!holds()) {
    if (Date.now() > patience) throw new Error('it never came true');
    await setImmediate();
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

export function seededRandom(seed = 1): Random {
  let state = seed >>> 0;
  const unit = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const letter = () => ALPHABET[Math.floor(unit() * ALPHABET.length)]!;
  return { unit, id: (length) => Array.from({ length }, letter).join('') };
}
