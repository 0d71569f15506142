/** O: what we know of an event of our own. Put once, by whoever sends it or by its echo, whichever comes first. */
import { noRow, type Row, type Table } from '../runtime/table.ts';
import { keys } from './keys.ts';

export type Own = {
  readonly turn: string;
  /** The part's name within the turn. */
  readonly part: string;
  /** An answer keeps a thread alive; a question takes a consent; a notice does neither. */
  readonly kind: 'answer' | 'notice' | 'question';
  /** ms */
  readonly at: number;
};

const KEEP_S = 30 * 24 * 3600;

export async function putOwn(table: Table, room: string, event: string, own: Own): Promise<void> {
  const { turn, part, kind, at } = own;
  const row = { ...keys.own(room, event), turn, part, kind, at, ex: Math.floor(at / 1000) + KEEP_S };
  await table.put({ op: 'own', row, when: noRow });
}

export function ownOf(row: Row | undefined): Own | undefined {
  if (!row) return undefined;
  return {
    turn: row.turn as string,
    part: row.part as string,
    kind: row.kind as Own['kind'],
    at: row.at as number,
  };
}
