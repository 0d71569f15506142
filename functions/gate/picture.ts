/**
 * P: what is known of a room, read from the homeserver and kept with the generation at which the read began. A state
 * event makes it stale and never edits it, since servers push old state late; only the bot's own leaving takes effect
 * at once, and encryption, once seen, stays.
 */
import { isMatrixError, type MatrixClient, type MatrixError } from '../matrix/client.ts';
import { absent, all, any, eq, type Row, type Table } from '../runtime/table.ts';
import { keys } from './keys.ts';
import type { GateNumbers } from './options.ts';
import { type RoomFacts, type RoomReader, readRoom } from './read-room.ts';

export type Picture = RoomFacts & {
  /** Carried over from the room this one replaced. */
  readonly carriedDirect: boolean;
};

/** What the row says: the picture, if one was ever stored, and whether it may still be used without a read. */
export type Stored = {
  readonly generation: number;
  readonly picture?: Picture;
  readonly fresh: boolean;
  readonly left: boolean;
  /** What was seen of the room and holds whatever a read of it says. */
  readonly encrypted: boolean;
  readonly carriedDirect: boolean;
  /** The room this one replaced, as that one's tombstone said; its own create event is anybody's claim. */
  readonly predecessor?: string;
};

export function storedPicture(
  row: Row | undefined,
  now: number,
  { groupRooms, roomInfoTtlMs }: Pick<GateNumbers, 'groupRooms' | 'roomInfoTtlMs'>,
): Stored {
  const generation = (row?.gen as number | undefined) ?? 0;
  const seen = { encrypted: row?.enc === true, carriedDirect: row?.dir === true };
  const facts = row?.pic === undefined ? undefined : (JSON.parse(row.pic as string) as RoomFacts);
  // Read under the policy `answer`, it does not say who is in the room.
  const usable = facts && (facts.membersRead || groupRooms === 'answer');
  return {
    generation,
    ...(usable && { picture: pictureOf(facts, seen) }),
    fresh: usable === true && row?.pg === generation && (row?.pa as number) + roomInfoTtlMs > now,
    left: row?.left === true,
    ...seen,
    ...(row?.pre !== undefined && { predecessor: row.pre as string }),
  };
}

const pictureOf = (facts: RoomFacts, seen: Pick<Stored, 'encrypted' | 'carriedDirect'>): Picture => ({
  ...facts,
  encrypted: facts.encrypted || seen.encrypted,
  carriedDirect: seen.carriedDirect,
});

/** A state event of the room came: whatever is known of it is to be read again. Repeatable. */
export async function invalidate(
  table: Table,
  room: string,
  what: { left?: boolean; encrypted?: boolean } = {},
): Promise<void> {
  await table.update({
    op: 'room changed',
    key: keys.picture(room),
    add: { gen: 1 },
    set: { ...(what.left && { left: true }), ...(what.encrypted && { enc: true }) },
  });
}

/** The bot was seen to leave the room, or was made to, and has not been seen to come back. */
export async function hasLeft(table: Table, room: string): Promise<boolean> {
  return (await table.get(keys.picture(room)))?.left === true;
}

/** `gone`: the homeserver says that we are not in the room. `unreadable`: it does not say anything we can use. */
export type Looked =
  | { readonly kind: 'known'; readonly picture: Picture }
  | { readonly kind: 'gone' }
  | { readonly kind: 'unreadable' };

/**
 * The room's picture: the stored one while it is fresh, else a read of it, else the stored one however old. A picture
 * is not stored if the room changed while it was read, and a failed read is never stored as an answer.
 */
export async function lookAt(
  deps: { readonly table: Table; readonly matrix: MatrixClient; readonly reader: RoomReader },
  room: string,
  stored: Stored,
  now: number,
  signal?: AbortSignal,
): Promise<Looked> {
  if (stored.fresh && !stored.left) return { kind: 'known', picture: stored.picture! };
  try {
    const facts = await readRoom(deps.matrix, deps.reader, room, signal);
    if (facts.membership !== 'join') return { kind: 'gone' };
    await store(deps.table, room, facts, stored.generation, now);
    return { kind: 'known', picture: pictureOf(facts, stored) };
  } catch (error) {
    if (isMatrixError(error) && isGone(error)) return { kind: 'gone' };
    if (!isMatrixError(error)) throw error;
    if (stored.left) return { kind: 'gone' };
    return stored.picture ? { kind: 'known', picture: stored.picture } : { kind: 'unreadable' };
  }
}

const isGone = (error: MatrixError): boolean =>
  error.kind === 'refused' && (error.status === 403 || error.status === 404);

async function store(
  table: Table,
  room: string,
  facts: RoomFacts,
  generation: number,
  now: number,
): Promise<void> {
  await table.update({
    op: 'picture',
    key: keys.picture(room),
    set: { pic: JSON.stringify(facts), pg: generation, pa: now, ...(facts.encrypted && { enc: true }) },
    // Servers push older state late: that we left is over when the homeserver says we are there.
    remove: ['left'],
    when: generation === 0 ? any(absent('gen'), eq('gen', 0)) : all(eq('gen', generation)),
  });
}

/**
 * The bot is in the room (again): what its leaving said no longer holds. `replaced`: the room it stands for, and whether
 * that was direct.
 */
export async function entered(
  table: Table,
  room: string,
  replaced?: { readonly room: string; readonly direct: boolean },
): Promise<void> {
  await table.update({
    op: 'room entered',
    key: keys.picture(room),
    add: { gen: 1 },
    set: { pre: replaced?.room, ...(replaced?.direct && { dir: true }) },
    remove: ['left'],
  });
}
