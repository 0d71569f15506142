/** What a person may do in a room, by single reads of its state. A room that the bot can't see lets nobody do anything. */
import { type Call, isMatrixError, type MatrixClient } from './client.ts';
import { textAt } from './json.ts';
import { powerLevels } from './power.ts';

/** Rejects with the client's error when the homeserver can't be reached. */
export async function isJoined(
  matrix: MatrixClient,
  room: string,
  user: string,
  call?: Call,
): Promise<boolean> {
  return unlessRefused(async () => {
    const member = await matrix.state(room, 'm.room.member', user, call);
    return textAt(member, 'membership') === 'join';
  });
}

/** Whether the person has joined and may redact what others have sent. */
export async function mayRedact(
  matrix: MatrixClient,
  room: string,
  user: string,
  call?: Call,
): Promise<boolean> {
  return unlessRefused(async () => {
    const [joined, levels, create] = await Promise.all([
      isJoined(matrix, room, user, call),
      matrix.state(room, 'm.room.power_levels', '', call),
      matrix.creation(room, call),
    ]);
    const power = powerLevels(levels, create);
    return joined && power.of(user) >= power.toRedact();
  });
}

async function unlessRefused(read: () => Promise<boolean>): Promise<boolean> {
  try {
    return await read();
  } catch (error) {
    if (isMatrixError(error) && error.kind === 'refused') return false;
    throw error;
  }
}
