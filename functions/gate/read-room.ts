/**
 * Reads what the gate must know of a room, by single state reads and bounded member lists. Whatever one server or
 * another leaves out or garbles counts as absent, but for what a failed call hides: then the whole read fails.
 */
import type { MatrixClient } from '../matrix/client.ts';
import type { Namespace } from '../matrix/ids.ts';
import { at, type Json, strings, textAt } from '../matrix/json.ts';

/** A room as it was read. */
export type RoomFacts = {
  readonly membership: string;
  /** Whether it is known who is in the room. */
  readonly membersRead: boolean;
  /** How many joined; those who count for the room's kind are in `others`. */
  readonly joined: number;
  /** Joined and invited people but for service members, the bot included; undefined if there are too many to count. */
  readonly counted?: number;
  readonly space: boolean;
  readonly encrypted: boolean;
  readonly tombstoned: boolean;
  /** `is_direct` in a create event that one of ours sent. */
  readonly createdDirect: boolean;
  /** Its canonical alias is one of ours between a person and the agent, and the directory agrees. */
  readonly ownAlias: boolean;
  readonly create: { readonly sender: string; readonly content: Json };
  /** The content of the power levels; undefined if the room has none. */
  readonly power?: Json;
};

export type RoomReader = {
  readonly namespace: Namespace;
  readonly isService: (userId: string) => boolean;
  /** Under the policy `answer` no members are read. */
  readonly readMembers: boolean;
};

/** More members than this make a group whoever they are. */
const FEW = 2;

export async function readRoom(
  matrix: MatrixClient,
  reader: RoomReader,
  room: string,
  signal?: AbortSignal,
): Promise<RoomFacts> {
  const call = signal && { signal };
  const { namespace } = reader;
  const state = (type: string, key = '') => matrix.state(room, type, key, call);
  const [create, power, alias, encryption, tombstone, functional, own, joined] = await Promise.all([
    matrix.creation(room, call),
    state('m.room.power_levels'),
    state('m.room.canonical_alias'),
    state('m.room.encryption'),
    state('m.room.tombstone'),
    state('io.element.functional_members'),
    state('m.room.member', namespace.bot),
    reader.readMembers ? matrix.joinedMembers(room, call) : undefined,
  ]);
  const service = new Set(strings(at(functional, 'service_members')));
  const counts = (user: string) =>
    user === namespace.bot || !service.has(user) || !(namespace.isOurs(user) || reader.isService(user));
  const present = joined?.members.map(({ userId }) => userId) ?? [];
  let counted = joined?.truncated ? undefined : present.filter(counts).length;
  if (joined && counted !== undefined && counted <= FEW) {
    const invited = await matrix.invitedMembers(room, call);
    counted = invited.truncated
      ? undefined
      : counted + invited.members.filter(({ userId }) => counts(userId)).length;
  }
  const content = create?.content ?? {};
  const sender = create?.sender ?? '';
  return {
    // Only members are answered at all, so a missing member event says nothing against us.
    membership: own === undefined ? 'join' : (textAt(own, 'membership') ?? 'leave'),
    membersRead: reader.readMembers,
    joined: present.length,
    ...(counted !== undefined && { counted }),
    space: at(content, 'type') === 'm.space',
    encrypted: encryption !== undefined,
    tombstoned: tombstone !== undefined && Object.keys(tombstone).length > 0,
    createdDirect: at(content, 'is_direct') === true && namespace.isOurs(sender),
    ownAlias: await isOwnAlias(matrix, namespace, room, textAt(alias, 'alias'), signal),
    create: { sender, content },
    ...(power && { power }),
  };
}

/** A canonical alias is anybody's claim: it counts if it lies in our namespace and the directory names this room. */
async function isOwnAlias(
  matrix: MatrixClient,
  namespace: Namespace,
  room: string,
  alias: string | undefined,
  signal?: AbortSignal,
): Promise<boolean> {
  if (alias === undefined || !namespace.isOurAlias(alias)) return false;
  return (await matrix.resolveAlias(alias, signal && { signal })) === room;
}

/** A room is direct while at most two members count, or if one of ours made it so. */
export function roomKindOf(room: RoomFacts & { readonly carriedDirect: boolean }): 'direct' | 'group' {
  const few = room.counted !== undefined && room.counted <= FEW;
  return few || room.createdDirect || room.carriedDirect || room.ownAlias ? 'direct' : 'group';
}
