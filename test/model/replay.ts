/**
 * A schedule over the real adapter: what the model did to its rows, in the same order, done to another table, which must
 * give the same answers. Keys are moved aside, so that many schedules share one store.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Put, Range, Remove, Row, Table, Update } from '../../functions/runtime/table.ts';
import type { LogTable } from './log-table.ts';

/** What was answered otherwise; undefined if nothing was. */
export async function replay(
  journal: LogTable['journal'],
  table: Table,
  aside: string,
): Promise<string | undefined> {
  const moved = <K extends { pk: string }>(key: K): K => ({ ...key, pk: aside + key.pk });
  const back = (answer: unknown): unknown => {
    if (Array.isArray(answer)) return answer.map(back);
    if (!answer || typeof answer !== 'object' || !('pk' in answer)) return answer;
    return { ...answer, pk: (answer as Row).pk.slice(aside.length) };
  };
  for (const [step, { kind, given, answer }] of journal.entries()) {
    const actual = await again(kind, given);
    if (!isDeepStrictEqual(actual, plain(answer)))
      return `step ${step}, ${kind} ${JSON.stringify(given)}: ${JSON.stringify(actual)}`;
  }
  return undefined;

  async function again(kind: string, given: unknown): Promise<unknown> {
    switch (kind) {
      case 'put':
        return table.put({ ...(given as Put), row: moved((given as Put).row) });
      case 'update':
        return back(await table.update({ ...(given as Update), key: moved((given as Update).key) }));
      case 'remove':
        return table.remove({ ...(given as Remove), key: moved((given as Remove).key) });
      default:
        return back(await table.query(moved(given as Range)));
    }
  }
}

/** Rows without attributes that are there and undefined, which no store has. */
const plain = (answer: unknown): unknown => {
  if (Array.isArray(answer)) return answer.map(plain);
  if (!answer || typeof answer !== 'object') return answer;
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value !== undefined));
};
