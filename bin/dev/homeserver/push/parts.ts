/** Cutting a list at random places into parts of at most `max`, in the same order. */
import type { Random } from '../../../../functions/runtime/clock.ts';

export function randomParts<T>(items: readonly T[], max: number, random: Random): T[][] {
  const parts: T[][] = [];
  for (let start = 0; start < items.length; ) {
    const size = 1 + Math.floor(random.unit() * Math.min(max, items.length - start));
    parts.push(items.slice(start, start + size));
    start += size;
  }
  return parts;
}
