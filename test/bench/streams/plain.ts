/**
 * The baseline: the same load on the same store as one writes it without a plan. Words are kept and flushed when the next
 * one comes 400 ms or more after the last flush; a follower asks every 500 ms.
 */
import type { Table } from '../../../functions/runtime/table.ts';
import type { Load } from './load.ts';

const FLUSH_MS = 400;
const POLL_MS = 500;

/** When a follower had each word, by its index, and the end; monotonic ms. */
export async function followPlainly(
  table: Table,
  reader: Table,
  load: Load,
): Promise<{ heard: number[]; end: number }> {
  const pk = 'plain';
  let kept: string[] = [];
  let flushed = performance.now();
  let rows = 0;
  const flush = async (over: boolean) => {
    const texts = kept;
    kept = [];
    flushed = performance.now();
    const sk = String(rows++).padStart(6, '0');
    await table.put({ op: 'plain', row: { pk, sk, texts: JSON.stringify(texts), over } });
  };
  const following = follow(reader, pk);
  await load.run(async (index) => {
    kept.push(load.texts[index]!);
    if (performance.now() - flushed >= FLUSH_MS) await flush(false);
  });
  await flush(true);
  return following;
}

async function follow(table: Table, pk: string): Promise<{ heard: number[]; end: number }> {
  const heard: number[] = [];
  for (let next = 0; ; ) {
    const rows = await table.query({ pk, from: String(next).padStart(6, '0'), to: '~', limit: 1_000 });
    const now = performance.now();
    for (const row of rows) {
      for (const _ of JSON.parse(row.texts as string) as string[]) heard.push(now);
      if (row.over) return { heard, end: now };
    }
    next += rows.length;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
