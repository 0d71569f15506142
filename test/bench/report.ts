/** How figures are shown: a table for people, a JSON object a line for programs. */
import { isMet, type Measured } from './bench.ts';

const columns = ['name', 'value', 'unit', 'target', 'met', 'baseline'] as const;
const widths = [30, 10, 8, 9, 5, 9];

const line = (cells: readonly string[]) =>
  `${cells.map((cell, column) => (column === 1 ? cell.padStart(widths[1]!) : cell.padEnd(widths[column]!))).join('  ')}`.trimEnd();

export const head = line(columns);

export function row(measured: Measured): string {
  const { name, value, unit, target = '', baseline = '' } = measured;
  const met = isMet(measured);
  return line([
    name,
    shown(value),
    unit,
    target,
    met === undefined ? '' : met ? 'yes' : 'NO',
    typeof baseline === 'number' ? shown(baseline) : baseline,
  ]);
}

/** Three digits that count, but never fewer than the whole number has. */
const shown = (value: number) =>
  value.toLocaleString('en', { maximumFractionDigits: value >= 100 ? 0 : value >= 10 ? 1 : 3 });

export const json = ({ name, value, unit, target, baseline }: Measured): string =>
  JSON.stringify({ name, value, unit, target: target ?? null, baseline: baseline ?? null });
