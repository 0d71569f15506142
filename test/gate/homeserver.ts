/**
 * A homeserver as the gate sees it: rooms as plain data that a test changes at will. `before` stands in front of every
 * call under its name, to fail it, hold it up, or change something behind its back.
 */
import { type MatrixClient, MatrixError } from '../../functions/matrix/client.ts';
import type { Json } from '../../functions/matrix/json.ts';
import type { Creation } from '../../functions/matrix/power.ts';

export type Room = {
  creation: Creation | undefined;
  /** Contents of state events with an empty state key, by type. */
  state: Record<string, Json | undefined>;
  /** Contents of member events. */
  members: Record<string, Json>;
  /** The ids of who is in the room, and of who is asked into it. */
  joined: string[];
  invited: string[];
  /** More people are joined than can be read. */
  crowded: boolean;
  /** Who sent an event. */
  events: Record<string, string>;
};

export type Homeserver = {
  readonly rooms: Map<string, Room>;
  /** Display names. */
  readonly profiles: Record<string, string | undefined>;
  /** Where the directory says an alias leads. */
  readonly aliases: Record<string, string | undefined>;
  /** The calls made since the test last emptied it. */
  readonly calls: string[];
  before: (call: string, room: string) => void | Promise<void>;
  readonly client: MatrixClient;
};

export const unreachable = (call = 'call') => new MatrixError(call, { kind: 'unreachable', status: 502 });
export const refused = (status: number) =>
  new MatrixError('call', { kind: 'refused', status, errcode: 'M_FORBIDDEN' });

/** A room of version 10 that a person made, with these people in it. */
export function roomOf(joined: readonly string[], more: Partial<Room> = {}): Room {
  const members = Object.fromEntries(joined.map((user) => [user, { membership: 'join' }]));
  const creation = { sender: '@founder:hs', content: { room_version: '10' } };
  const empty = { state: {}, invited: [], crowded: false, events: {} };
  return { creation, members, joined: [...joined], ...empty, ...more };
}

export function homeserver(): Homeserver {
  const calls: string[] = [];
  const rooms = new Map<string, Room>();
  const call = async <T>(name: string, room: string, answer: (room: Room) => T): Promise<T> => {
    calls.push(name);
    await server.before(name, room);
    const found = rooms.get(room);
    if (!found) throw refused(403);
    return answer(found);
  };
  const named = ({ members }: Room, userId: string) => {
    const name = members[userId]?.displayname;
    return typeof name === 'string' && name !== '' ? { userId, displayName: name } : { userId };
  };
  const server: Homeserver = {
    rooms,
    profiles: {},
    aliases: {},
    calls,
    before: () => undefined,
    client: {
      ...unasked,
      creation: (id) => call('creation', id, ({ creation }) => creation),
      state: (id, type, key) =>
        call(type === 'm.room.member' ? `member ${key}` : type, id, ({ state, members }) =>
          type === 'm.room.member' ? members[key] : state[type],
        ),
      joinedMembers: (id) =>
        call('joined', id, (room) =>
          room.crowded
            ? { members: [], truncated: true }
            : { members: room.joined.map((user) => named(room, user)), truncated: false },
        ),
      invitedMembers: (id) =>
        call('invited', id, ({ invited }) => ({
          members: invited.map((userId) => ({ userId })),
          truncated: false,
        })),
      event: (room, id) =>
        call('event', room, ({ events }) => {
          const sender = events[id];
          if (sender === undefined) return undefined;
          const event = { id, room, sender, type: 'm.room.message', content: {}, ts: 1 };
          return { ...event, redactedBecause: false, softFailed: false };
        }),
      async profile(user) {
        calls.push('profile');
        await server.before('profile', '');
        const displayName = server.profiles[user];
        return displayName === undefined ? undefined : { displayName };
      },
      async resolveAlias(alias) {
        calls.push('alias');
        await server.before('alias', server.aliases[alias] ?? '');
        return server.aliases[alias];
      },
    },
  };
  return server;
}

const never = () => Promise.reject(new Error('the gate does not call this'));

/** What the gate has no business with. */
const unasked = {
  whoami: never,
  register: never,
  setDisplayName: never,
  setAvatarUrl: never,
  ping: never,
  join: never,
  leave: never,
  joinedRooms: never,
  messages: never,
  send: never,
  redact: never,
  typing: never,
  receipt: never,
  createRoom: never,
} satisfies Partial<MatrixClient>;
