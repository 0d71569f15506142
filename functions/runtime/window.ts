/**
 * What was done in a fixed window, as a set of ids: a repetition counts once, and no clocks of two hosts have to agree.
 */
import { absent, any, contains, type Key, smaller, type Table } from './table.ts';

export type Counted = {
  /** The write's name. */
  readonly op: string;
  /** The window's row. */
  readonly key: Key;
  readonly id: string;
  readonly limit: number;
  /** s */
  readonly expires: number;
};

/** Counts the id; false if the window is full without it. */
export async function countIn(table: Table, { op, key, id, limit, expires }: Counted): Promise<boolean> {
  const row = await table.update({
    op,
    key,
    add: { ids: new Set([id]) },
    set: { ex: expires },
    when: any(absent('ids'), smaller('ids', limit), contains('ids', id)),
  });
  return row !== 'refused';
}
