/** How often a caller did something in a window, and how long one that did it too often is to wait. */
import type { Table } from '../runtime/table.ts';
import { countIn } from '../runtime/window.ts';
import { keys } from '../turns/keys.ts';

export type Counted = {
  /** What is counted, and for whom. */
  readonly name: string;
  readonly id: string;
  readonly now: number;
  readonly windowMs: number;
  readonly limit: number;
};

/** Counts the id; how long to wait, in s, if the window is full, else undefined. */
export async function overQuota(
  table: Table,
  { name, id, now, windowMs, limit }: Counted,
): Promise<number | undefined> {
  const window = Math.floor(now / windowMs);
  const end = (window + 1) * windowMs;
  const counted = await countIn(table, {
    op: 'quota',
    key: keys.quota(name, window),
    id,
    limit,
    expires: Math.floor((end + windowMs) / 1_000),
  });
  return counted ? undefined : Math.max(1, Math.ceil((end - now) / 1_000));
}
