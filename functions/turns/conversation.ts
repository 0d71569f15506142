/**
 * A conversation's rows: the turns of it that are not finished, in order (`T#`), and what was said in it (`Y#`). History
 * is put once for each message; a tombstone put first keeps a redacted one out.
 */
import { noRow, type Table } from '../runtime/table.ts';
import type { Head } from './head.ts';
import { headOf, isTerminal } from './head.ts';
import { keys } from './keys.ts';
import type { Meta } from './meta.ts';

const KEEP_S = 30 * 24 * 3600;
const expiry = (ms: number) => Math.floor(ms / 1000) + KEEP_S;

export async function putUnfinished(table: Table, turn: string, meta: Meta): Promise<void> {
  const row = { ...keys.unfinished(meta.conversation, meta.order, turn), turn, ex: expiry(meta.created) };
  await table.put({ op: 'unfinished', row, when: noRow });
}

/** The turn is over: it no longer stands in its conversation's line. */
export async function dropUnfinished(
  table: Table,
  turn: string,
  meta: Pick<Meta, 'conversation' | 'order'>,
): Promise<void> {
  await table.remove({ op: 'unfinished done', key: keys.unfinished(meta.conversation, meta.order, turn) });
}

/** The ids of unfinished turns behind the given one, oldest first, at most `limit`. Some may be over by now. */
export async function unfinishedAfter(
  table: Table,
  turn: string,
  meta: Meta,
  limit: number,
): Promise<string[]> {
  const rows = await table.query({ ...keys.unfinishedAfter(meta.conversation, meta.order, turn), limit });
  return rows.map((row) => row.turn as string);
}

/** Whether a turn that came before this one is still to be finished. */
export async function hasEarlier(table: Table, meta: Meta): Promise<boolean> {
  const rows = await table.query({ ...keys.unfinishedBefore(meta.conversation, meta.order), limit: 100 });
  const heads = await table.getMany(rows.map((row) => keys.head(row.turn as string)));
  return heads.some((head) => !isTerminal(headOf(head)));
}

/** How many turns of the conversation are unfinished, counted to at most `limit`; HEADs are read only at the limit. */
export async function countUnfinished(table: Table, conversation: string, limit: number): Promise<number> {
  const range = { ...keys.unfinishedAfter(conversation), limit };
  if ((await table.count(range)) < limit) return 0;
  const rows = await table.query(range);
  const heads = await table.getMany(rows.map((row) => keys.head(row.turn as string)));
  const open = (head: Head) => !isTerminal(head);
  return heads.map(headOf).filter(open).length;
}

/** One message of a conversation, as history keeps it. */
export type Said = {
  readonly role: 'user' | 'assistant';
  readonly at: number;
  readonly order: string;
  /** The message's own id; an answer's is the last message it answers, and `~`. */
  readonly event: string;
  readonly text: string;
  readonly name?: string;
  readonly sender?: string;
};

/** Where a turn's own message stands in its conversation's history. */
export const placeOf = (
  turn: string,
  { source, created, order }: Meta,
): Pick<Said, 'at' | 'order' | 'event'> =>
  source.kind === 'matrix'
    ? { at: source.at, order, event: source.event }
    : { at: created, order, event: turn };

/** The answer stands behind the last message it answers. */
export const behind = <Place extends Pick<Said, 'event'>>(place: Place): Place => ({
  ...place,
  event: `${place.event}~`,
});

/** Puts a message into history, once. What is there stands, a tombstone too. */
export async function putSaid(table: Table, conversation: string, said: Said, now: number): Promise<void> {
  const { role, at, order, event, text, name, sender } = said;
  const row = {
    ...keys.said(conversation, at, order, event),
    at,
    or: order,
    ev: event,
    ro: role,
    tx: text,
    ex: expiry(now),
  };
  await table.put({
    op: 'said',
    row: { ...row, ...(name !== undefined && { nm: name }), ...(sender !== undefined && { sn: sender }) },
    when: noRow,
  });
}

/** Takes a message's words out of history, and keeps them out. Repeatable. */
export async function unsay(
  table: Table,
  conversation: string,
  said: Pick<Said, 'at' | 'order' | 'event'>,
  now: number,
): Promise<void> {
  const key = keys.said(conversation, said.at, said.order, said.event);
  await table.update({
    op: 'unsay',
    key,
    set: { at: said.at, or: said.order, ev: said.event, ex: expiry(now) },
    remove: ['tx', 'nm'],
  });
}

/** The newest `limit` messages of a conversation, oldest first, without what was redacted. */
export async function history(table: Table, conversation: string, limit: number): Promise<Said[]> {
  const rows = await table.query({ ...keys.history(conversation), limit, newestFirst: true });
  return rows
    .toReversed()
    .filter((row) => row.tx !== undefined)
    .map((row) => ({
      role: row.ro as Said['role'],
      at: row.at as number,
      order: row.or as string,
      event: row.ev as string,
      text: row.tx as string,
      ...(row.nm !== undefined && { name: row.nm as string }),
      ...(row.sn !== undefined && { sender: row.sn as string }),
    }));
}
