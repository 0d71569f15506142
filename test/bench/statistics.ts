/** Medians and percentiles, by the nearest rank. */

export function percentile(values: readonly number[], percent: number): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

export const median = (values: readonly number[]): number => percentile(values, 50);
