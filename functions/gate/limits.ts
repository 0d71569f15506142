/**
 * L: how much was accepted in a fixed window, as a set of turn ids, so that a repetition counts once and no clock of two
 * hosts has to agree. An id counted for the sender and refused for the room stays counted.
 */
import type { Table } from '../runtime/table.ts';
import { countIn } from '../runtime/window.ts';
import { keys } from './keys.ts';

export const WINDOW_MS = 10 * 60_000;
export const PEER_WINDOW_MS = 60 * 60_000;

export const windowOf = (now: number, lengthMs: number): number => Math.floor(now / lengthMs);

/** Counts a turn within `scope`'s window; false if the window is full. */
export async function within(
  table: Table,
  scope: string,
  turn: string,
  now: number,
  limit: { readonly turns: number; readonly windowMs: number },
): Promise<boolean> {
  return countIn(table, {
    op: 'limit',
    key: keys.limit(scope, windowOf(now, limit.windowMs)),
    id: turn,
    limit: limit.turns,
    expires: Math.floor((now + 2 * limit.windowMs) / 1000),
  });
}
