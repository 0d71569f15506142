/**
 * How often something was done in a fixed window, as a set of ids: a repetition counts once, and no clocks of two hosts
 * have to agree.
 */
import { absent, any, contains, smaller, type Table } from '../runtime/table.ts';
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
  const row = await table.update({
    op: 'quota',
    key: keys.quota(name, window),
    add: { ids: new Set([id]) },
    set: { ex: Math.floor((end + windowMs) / 1_000) },
    when: any(absent('ids'), smaller('ids', limit), contains('ids', id)),
  });
  return row === 'refused' ? Math.max(1, Math.ceil((end - now) / 1_000)) : undefined;
}
