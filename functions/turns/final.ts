/** FINAL, the whole answer of one attempt, stored before the attempt closes; only that of HEAD's attempt counts. */
import type { Table } from '../runtime/table.ts';
import type { Message } from './events.ts';
import { keys } from './keys.ts';

/** `expires`: s. A repetition puts the same. */
export async function putFinal(
  table: Table,
  turn: string,
  attempt: number,
  message: Message,
  expires: number | undefined,
): Promise<void> {
  const row = { ...keys.final(turn, attempt), m: JSON.stringify(message) };
  await table.put({ op: 'final', row: expires === undefined ? row : { ...row, ex: expires } });
}

/** Undefined after a close by somebody else, and once it is forgotten. */
export async function getFinal(table: Table, turn: string, attempt: number): Promise<Message | undefined> {
  const row = await table.get(keys.final(turn, attempt));
  return row && (JSON.parse(row.m as string) as Message);
}
