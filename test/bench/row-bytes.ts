/**
 * What DynamoDB counts of an item: names and strings in UTF-8 bytes, a number at two digits a byte and one more, a
 * Boolean as one, a set as its members and three. Source:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html.
 */
import type { Row, Value } from '../../functions/runtime/table.ts';

export const rowBytes = (row: Row | undefined): number =>
  Object.entries(row ?? {}).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value),
    0,
  );

function valueBytes(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'boolean') return 1;
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  return [...value].reduce((sum, member) => sum + Buffer.byteLength(member) + 1, 3);
}

/** What a write costs: its row in KB, rounded up, as it was or as it became, whichever is larger. */
export const writeUnits = (before: Row | undefined, after: Row | undefined): number =>
  Math.max(1, Math.ceil(Math.max(rowBytes(before), rowBytes(after)) / 1_024));
