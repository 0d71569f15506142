/** K: a notice of a room, once per kind and window: put by the worker that sends it, with its event id once it is sent. */
import { absent, all, hasRow, noRow, type Table } from '../runtime/table.ts';
import type { Notice } from './decide.ts';
import { hash, keys } from './keys.ts';

const KEEP_S = 30 * 24 * 3600;

export type StoredNotice = { readonly content: Readonly<Record<string, unknown>>; readonly event?: string };

/** What a notice's content carries in place of a turn, so that its echo is known. */
export const noticeTurn = (room: string, { kind }: Notice): string => `notice-${hash(room, kind)}`;
export const noticePart = ({ window }: Notice): string => `note#${window}`;

/** Puts the notice if none of its window is there, and returns the one that stands. */
export async function putNotice(
  table: Table,
  room: string,
  notice: Notice,
  content: object,
  now: number,
): Promise<StoredNotice> {
  const key = keys.notice(room, notice.kind, notice.window);
  const row = { ...key, ct: JSON.stringify(content), ex: Math.floor(now / 1000) + KEEP_S };
  await table.put({ op: 'notice', row, when: noRow });
  const stands = (await table.get(key))!;
  return {
    content: JSON.parse(stands.ct as string) as Record<string, unknown>,
    ...(stands.ev !== undefined && { event: stands.ev as string }),
  };
}

export async function setNoticeEvent(
  table: Table,
  room: string,
  notice: Notice,
  event: string,
): Promise<void> {
  const key = keys.notice(room, notice.kind, notice.window);
  await table.update({ op: 'notice sent', key, set: { ev: event }, when: all(hasRow, absent('ev')) });
}
