/**
 * The Matrix world of a recorded scenario, put into the gate's homeserver. An answer that is no JSON object counts as
 * none: what the port may promise is decided by its adapter.
 */
import { isRecord, type Json, recordAt, textAt } from '../../functions/matrix/json.ts';
import { type Homeserver, homeserver, unreachable } from '../gate/homeserver.ts';
import { PREFIX } from '../inbox/inbox.ts';
import type { RecordedRoom, Scenario } from './gate-golden-data.ts';

export type RecordedWorld = {
  readonly server: Homeserver;
  set(room: string, change: Partial<RecordedRoom>): void;
  /** Reads of a target in a room fail while `on`. */
  fail(target: string, room: string, on: boolean): void;
};

export function recordedWorld({ rooms, botUserId }: Scenario): RecordedWorld {
  const server = homeserver();
  const recorded = new Map(rooms.map((room) => [room.id, room]));
  const failing = new Set<string>();
  server.before = (call, room) => {
    const target = targetOf(call, botUserId);
    if (failing.has(`${target} ${room}`)) throw unreachable(call);
  };
  for (const room of rooms) place(server, room, botUserId);
  return {
    server,
    set(id, change) {
      const room = { ...recorded.get(id)!, ...change };
      recorded.set(id, room);
      place(server, room, botUserId);
    },
    fail(target, room, on) {
      if (on) failing.add(`${target} ${room}`);
      else failing.delete(`${target} ${room}`);
    },
  };
}

/** The recording knows a member event as the source of a speaker's name only, so the bot's own never fails. */
function targetOf(call: string, bot: string): string | undefined {
  if (call.startsWith('member ')) return call === `member ${bot}` ? undefined : 'member';
  const targets = {
    creation: 'create',
    joined: 'members',
    'm.room.power_levels': 'power',
    event: 'event',
    alias: 'oracle',
  };
  return targets[call as keyof typeof targets];
}

function place(server: Homeserver, room: RecordedRoom, bot: string): void {
  const create = answered(room.create);
  const content = recordAt(create, 'content') ?? create;
  // What says `is_direct` counts as made by one of ours.
  const sender = content?.is_direct === true ? bot : '@founder:hs';
  const alias = `#${PREFIX}ana:hs`;
  const joined = Object.fromEntries(room.members.map((user) => [user, { membership: 'join' }]));
  const named = Object.entries(room.names ?? {}).map(([user, name]) => [
    user,
    { membership: 'join', ...(isRecord(name) ? name : { displayname: name }) },
  ]);
  const events = Object.entries(room.events ?? {}).flatMap(([id, event]) => {
    const author = textAt(answered(event), 'sender');
    return author === undefined ? [] : [[id, author]];
  });
  server.rooms.set(room.id, {
    creation: content && { sender, content },
    state: {
      'm.room.power_levels': answered(room.power),
      'm.room.canonical_alias': room.oracleAlias ? { alias } : undefined,
    },
    members: { ...joined, ...Object.fromEntries(named) },
    joined: [...room.members],
    invited: [],
    crowded: false,
    events: Object.fromEntries(events),
  });
  if (room.oracleAlias) server.aliases[alias] = room.id;
  Object.assign(server.profiles, room.profiles);
}

function answered(value: unknown): Json | undefined {
  return isRecord(value) && !('$raw' in value) && !('$none' in value) ? value : undefined;
}
