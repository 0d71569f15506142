/** The yes or no a waiting turn waits for: a row put once, so the first answer wins. Sending the turn on is the caller's. */
import { noRow, type Table } from '../runtime/table.ts';
import type { Choice } from './events.ts';
import { keys } from './keys.ts';

export type Consent = { readonly by: string; readonly choice: Choice; readonly at: number };

/** Puts the consent to the question with that seq, and returns the one that stands. */
export async function putConsent(
  table: Table,
  turn: string,
  seq: number,
  consent: Consent,
  expires: number,
): Promise<Consent> {
  const row = { ...keys.consent(turn, seq), by: consent.by, ch: consent.choice, at: consent.at, ex: expires };
  await table.put({ op: 'consent', row, when: noRow });
  return (await getConsent(table, turn, seq))!;
}

export async function getConsent(table: Table, turn: string, seq: number): Promise<Consent | undefined> {
  const row = await table.get(keys.consent(turn, seq));
  return row && { by: row.by as string, choice: row.ch as Choice, at: row.at as number };
}
