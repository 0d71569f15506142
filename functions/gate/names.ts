/**
 * N: the display name of a speaker: the room's member event, else the profile, else the user id. Read for speakers only;
 * a read that failed is not kept.
 */
import { isMatrixError, type MatrixClient } from '../matrix/client.ts';
import { textAt } from '../matrix/json.ts';
import type { Row, Table } from '../runtime/table.ts';
import { keys } from './keys.ts';

/** The stored name, while the room is as it was when it was read and its time is not over. */
export function storedName(
  row: Row | undefined,
  generation: number,
  now: number,
  ttlMs: number,
): string | undefined {
  if (!row || row.gen !== generation || (row.at as number) + ttlMs <= now) return undefined;
  return row.name as string;
}

/** The name of a speaker; the user id if the homeserver does not say. */
export async function readName(
  deps: { readonly table: Table; readonly matrix: MatrixClient },
  room: string,
  user: string,
  generation: number,
  now: number,
  signal?: AbortSignal,
): Promise<string> {
  const call = signal && { signal };
  try {
    const member = textAt(await deps.matrix.state(room, 'm.room.member', user, call), 'displayname');
    const name = member || (await deps.matrix.profile(user, call))?.displayName || user;
    const row = {
      ...keys.name(room, user),
      name,
      gen: generation,
      at: now,
      ex: Math.floor(now / 1000) + 7 * 24 * 3600,
    };
    await deps.table.put({ op: 'name', row });
    return name;
  } catch (error) {
    if (!isMatrixError(error)) throw error;
    return user;
  }
}
