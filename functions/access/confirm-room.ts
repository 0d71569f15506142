/**
 * Sends a person's codes as the bot, in one direct room with them that is made once and kept. It is used as long as
 * nobody else is in it: a code is for one pair of eyes. A room that was left or shared is replaced by another.
 */
import { isMatrixError, type MatrixClient } from '../matrix/client.ts';
import type { Random } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';
import { keys } from '../turns/keys.ts';
import type { AccessDeps } from './ports.ts';

export type ConfirmDeps = {
  /** The table of turns. */
  readonly table: Table;
  readonly matrix: MatrixClient;
  readonly random: Random;
  /** The user id that `matrix` speaks for. */
  readonly bot: string;
};

export function confirmInRoom(deps: ConfirmDeps): NonNullable<AccessDeps['confirm']> {
  const { matrix, random } = deps;
  return async (user, code) => {
    try {
      const room = (await keptRoom(deps, user)) ?? (await newRoom(deps, user));
      const body = `Your code is ${code}. Give it to nobody: it opens a session in your name.`;
      await matrix.send(room, 'm.room.message', `code.${random.id(16)}`, { msgtype: 'm.notice', body });
      return true;
    } catch (error) {
      if (isMatrixError(error)) return false;
      throw error;
    }
  };
}

async function keptRoom({ table, matrix, bot }: ConfirmDeps, user: string): Promise<string | undefined> {
  const room = (await table.get(keys.codeRoom(user)))?.room;
  if (typeof room !== 'string') return undefined;
  try {
    const [joined, invited] = await Promise.all([matrix.joinedMembers(room), matrix.invitedMembers(room)]);
    const there = [...joined.members, ...invited.members].map(({ userId }) => userId);
    const alone = there.length === 2 && there.includes(bot) && there.includes(user);
    return alone && !joined.truncated && !invited.truncated ? room : undefined;
  } catch (error) {
    // The bot is no longer in it.
    if (isMatrixError(error) && error.kind === 'refused') return undefined;
    throw error;
  }
}

/** Of two made at once the later one is kept; the person gets both codes, of which the later is good. */
async function newRoom({ table, matrix }: ConfirmDeps, user: string): Promise<string> {
  // In a private chat the room stays the bot's: the person cannot open it to everybody.
  const room = await matrix.createRoom({ preset: 'private_chat', invite: [user], isDirect: true });
  await table.put({ op: 'code room', row: { ...keys.codeRoom(user), room } });
  return room;
}
