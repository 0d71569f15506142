/** Seeded chance: the same seed draws the same numbers, so every schedule can be run again. */

export type Chance = {
  unit(): number;
  /** 0 … n-1 */
  below(n: number): number;
  hit(probability: number): boolean;
  pick<T>(of: readonly T[]): T;
};

export function chance(seed: number): Chance {
  let a = seed >>> 0;
  const unit = () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  return {
    unit,
    below: (n) => Math.floor(unit() * n),
    hit: (probability) => unit() < probability,
    pick: (of) => of[Math.floor(unit() * of.length)]!,
  };
}
