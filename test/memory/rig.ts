/** One room's memory over a table in memory. */
import { capture, type MemoryDeps, recent } from '../../functions/memory/buffer.ts';
import { keys } from '../../functions/memory/keys.ts';
import type { Captured } from '../../functions/memory/messages.ts';
import type { Row } from '../../functions/runtime/table.ts';
import { memoryRows, tableOver } from '../fakes/table.ts';

export const ROOM = '!room:hs';
export const NOW = 1_800_000_000_000;
export const place = { tenant: 'hs', room: ROOM };

export function memoryRig() {
  const rows = memoryRows();
  const deps: MemoryDeps = { table: tableOver(rows), tenant: 'hs' };
  return {
    rows,
    deps,
    table: deps.table,
    capture: (messages: readonly Captured[], now = NOW) => capture(deps, ROOM, messages, now),
    bodies: async (limit = 100) => (await recent(deps, ROOM, limit)).map(({ body }) => body),
    message: (event: string): Row | undefined => rows.get(keys.message(place, event)),
    ledger: (): Row | undefined => rows.get(keys.ledger(place)),
    pointers: () => rows.query({ ...keys.pointers(place), limit: 1_000 }),
    chunk: (id: string): Row | undefined => rows.get(keys.chunk(place, id)),
    /** As a compaction leaves it: the message in a chunk, its pointer gone. */
    async compacted(event: string, chunk: string, more: object = {}) {
      await deps.table.update({ op: 'compact', key: keys.message(place, event), set: { chunk } });
      for (const pointer of rows.query({ ...keys.pointers(place), limit: 1_000 }))
        if (pointer.ev === event) rows.remove({ op: 'r', key: pointer });
      const summary = { summary: 'a summary', rev: 1, state: 'live' };
      await deps.table.put({ op: 'chunk', row: { ...keys.chunk(place, chunk), ...summary, ...more } });
    },
  };
}

/** The nth message, said n seconds later. */
export const said = (n: number, more: Partial<Captured> = {}): Captured => ({
  event: `$${n}`,
  thread: `$${n}`,
  sender: '@ana:hs',
  principal: '@ana:hs',
  name: 'Ana',
  body: `words ${n}`,
  at: NOW + n * 1_000,
  order: `order${String(n).padStart(4, '0')}`,
  bot: false,
  ...more,
});

export const many = (count: number, more: Partial<Captured> = {}): Captured[] =>
  Array.from({ length: count }, (_, n) => said(n, more));
