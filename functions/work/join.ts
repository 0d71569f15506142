/**
 * Joins a room: on an invite, or after the room that replaces one the bot was in. Messages sent before the join are never
 * pushed, so the room's last ones are read back and decided like any others. Repeatable as a whole.
 */
import { entered } from '../gate/picture.ts';
import { roomKindOf } from '../gate/read-room.ts';
import type { RoomView } from '../gate/view.ts';
import { isMatrixError } from '../matrix/client.ts';
import { serverOf } from '../matrix/ids.ts';
import { at, textAt } from '../matrix/json.ts';
import { powerLevels } from '../matrix/power.ts';
import { withRetries } from '../matrix/retry.ts';
import { asPushed } from './catch-up.ts';
import type { NoticeDeps } from './notice.ts';
import { again, done, type Handled } from './ports.ts';

export type JoinDeps = NoticeDeps & {
  /** Decides events read back, oldest first, as if they had been pushed. */
  take(events: readonly unknown[]): Promise<void>;
  notify(room: string, event: string): Promise<void>;
};

export type JoinMessage = {
  readonly room: string;
  readonly event: string;
  readonly by: string;
  readonly since: number;
  readonly predecessor?: string;
};

/** How much is read back, in messages. */
const READ_BACK = 50;
/** A join right after the invite may be refused for a moment. */
const JOIN_TRIES = 5;

export async function joinRoom(deps: JoinDeps, join: JoinMessage): Promise<Handled> {
  const { room, predecessor } = join;
  // Anybody can name a room that the bot is in: it is not left for that.
  const wasThere = predecessor !== undefined && (await isMember(deps, room));
  if (wasThere === 'unreachable') return again(60);
  const via = serverOf(join.by);
  const joined = await tryJoin(deps, room, via === undefined ? [] : [via]);
  if (joined !== 'joined') {
    deps.log('a room was not joined', { event: join.event, outcome: joined });
    return joined === 'unreachable' ? again(60) : done;
  }
  const old = predecessor ?? (await replaced(deps, room));
  const before = old === undefined ? undefined : await carried(deps, join, old);
  if (predecessor !== undefined && !before) {
    if (!wasThere) await deps.matrix.leave(room);
    return done;
  }
  await entered(deps.gate, room, before);
  await readBack(deps, join);
  return done;
}

async function isMember({ matrix, bot }: JoinDeps, room: string): Promise<boolean | 'unreachable'> {
  try {
    return textAt(await matrix.state(room, 'm.room.member', bot), 'membership') === 'join';
  } catch (error) {
    if (!isMatrixError(error)) throw error;
    return error.kind === 'refused' ? false : 'unreachable';
  }
}

/** The room that this one replaces: each names the other. Nobody may have let us in when the tombstone came. */
async function replaced({ matrix }: JoinDeps, room: string): Promise<string | undefined> {
  const old = textAt(at((await matrix.creation(room))?.content, 'predecessor'), 'room_id');
  if (old === undefined) return undefined;
  try {
    const tombstone = await matrix.state(old, 'm.room.tombstone', '');
    return textAt(tombstone, 'replacement_room') === room ? old : undefined;
  } catch (error) {
    if (!isMatrixError(error) || error.kind !== 'refused') throw error;
    return undefined;
  }
}

async function tryJoin(
  deps: JoinDeps,
  room: string,
  via: readonly string[],
): Promise<'joined' | 'refused' | 'unreachable'> {
  for (let tries = 1; ; tries++) {
    try {
      await withRetries(() => deps.matrix.join(room, via), {
        clock: deps.clock,
        random: deps.random,
        tries: 3,
      });
      return 'joined';
    } catch (error) {
      if (!isMatrixError(error)) throw error;
      if (error.kind !== 'refused') return 'unreachable';
      if (error.status !== 403 || tries >= JOIN_TRIES) return 'refused';
      await deps.clock.sleep(300 * 2 ** tries);
    }
  }
}

/**
 * A tombstone is a claim: the new room must name the old one, and be made by who sent it or has power in the old one.
 * Then what the old room was carries over.
 */
async function carried(
  deps: JoinDeps,
  join: JoinMessage,
  predecessor: string,
): Promise<{ room: string; direct: boolean } | undefined> {
  const create = await deps.matrix.creation(join.room);
  const named = textAt(at(create?.content, 'predecessor'), 'room_id') === predecessor;
  const looked = await (await deps.view(predecessor)).look();
  const old = looked.kind === 'known' ? looked.picture : undefined;
  const levels = powerLevels(old?.power, old?.create);
  const hasPower = old && create && levels.of(create.sender) >= levels.toSet('m.room.tombstone');
  if (!named || !(create?.sender === join.by || hasPower)) return undefined;
  return { room: predecessor, direct: old !== undefined && (old.createdDirect || old.carriedDirect) };
}

/** What was said between the invite and the join, and one notice where nothing can be read. */
async function readBack(deps: JoinDeps, { room, event, since }: JoinMessage): Promise<void> {
  const { events } = await deps.matrix.messages(room, { limit: READ_BACK });
  const said = events.filter(
    ({ ts, stateKey, sender }) => stateKey === undefined && ts >= since && sender !== deps.bot,
  );
  await deps.take(said.reverse().map(asPushed));
  const view: RoomView = await deps.view(room);
  const looked = await view.look();
  if (looked.kind !== 'known' || !looked.picture.encrypted) return;
  if (roomKindOf(looked.picture) === 'direct' || deps.policy === 'gate') await deps.notify(room, event);
}
