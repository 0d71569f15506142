/**
 * Reads back what a homeserver did not push: messages of a room since a time, decided like any others. Events that were
 * decided before are known by their ids, so it is safe at any time and as often as one likes.
 */
import { isMatrixError, type MatrixClient } from '../matrix/client.ts';
import type { RoomEvent } from '../matrix/event.ts';

export type CatchUpDeps = {
  readonly matrix: MatrixClient;
  readonly bot: string;
  /** Decides events, oldest first, as if they had been pushed. */
  take(events: readonly unknown[]): Promise<void>;
};

const PAGE = 100;

/** How many messages were read back. Reads at most `limit`, newest first; the bot's own words count as its echoes. */
export async function catchUp(
  deps: CatchUpDeps,
  room: string,
  since: number,
  limit: number,
): Promise<number> {
  const missed: RoomEvent[] = [];
  let from: string | undefined;
  for (let read = 0; read < limit; read += PAGE) {
    const page = await deps.matrix.messages(room, {
      limit: Math.min(PAGE, limit - read),
      ...(from !== undefined && { from }),
    });
    missed.push(...page.events.filter(({ stateKey, ts }) => stateKey === undefined && ts >= since));
    from = page.end;
    if (from === undefined || page.events.length === 0 || page.events.some(({ ts }) => ts < since)) break;
  }
  await deps.take(missed.reverse().map(asPushed));
  return missed.length;
}

/** The rooms the bot is in, each caught up; one that can't be read is left. */
export async function catchUpRooms(
  deps: CatchUpDeps,
  since: number,
  limits: { rooms: number; messages: number },
): Promise<number> {
  let read = 0;
  for (const room of (await deps.matrix.joinedRooms()).slice(0, limits.rooms)) {
    try {
      read += await catchUp(deps, room, since, limits.messages);
    } catch (error) {
      if (!isMatrixError(error)) throw error;
    }
  }
  return read;
}

/** An event as a homeserver pushes it, for what decides events that were pushed. */
export const asPushed = ({
  id,
  room,
  type,
  sender,
  content,
  ts,
  age,
  redacts,
  redactedBecause,
}: RoomEvent) => ({
  event_id: id,
  room_id: room,
  type,
  sender,
  content,
  origin_server_ts: ts,
  ...(redacts !== undefined && { redacts }),
  unsigned: { ...(age !== undefined && { age }), ...(redactedBecause && { redacted_because: {} }) },
});
