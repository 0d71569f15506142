/**
 * A Matrix homeserver without HTTP: users, rooms and what is said in them, all in memory and synchronous, with time
 * and chance given from outside. Every operation takes the acting user's id and either happens wholly or throws a
 * `MatrixFault`; who the caller really is was settled before (`auth.ts`). It has one server's rooms, and users
 * of other servers where they are added. It grows with what is said and forgets nothing but what its parts say.
 */
import type { Clock, Random } from '../../../functions/runtime/clock.ts';
import { readAliases, removeAlias, resolveAlias, setAlias } from './world/aliases.ts';
import { clientEvent } from './world/client-event.ts';
import { sendReceipt, setTyping, typingUsers } from './world/ephemeral.ts';
import type { StoredEvent } from './world/event.ts';
import { concernsService, roomConcernsService } from './world/interest.ts';
import { download, upload } from './world/media.ts';
import { ban, invite, join, kick, leave, unban } from './world/members.ts';
import { type Registration, serviceOf } from './world/namespaces.ts';
import { openIdUser, requestOpenIdToken } from './world/openid.ts';
import { setAvatarUrl, setDisplayName } from './world/profile.ts';
import {
  joinedMembers,
  joinedRooms,
  messages,
  readEvent,
  readMembers,
  readState,
  readStateEvent,
} from './world/read.ts';
import { createRoom } from './world/rooms.ts';
import { forgetTransactions, redact, send, setState } from './world/send.ts';
import { restore, snapshot, type WorldSnapshot } from './world/snapshot.ts';
import type { Ephemeral, Session, WorldState } from './world/state.ts';
import { sync } from './world/sync.ts';
import { upgrade } from './world/upgrade.ts';
import { addRemoteUser, logIn, profile, register, tokenOf } from './world/users.ts';

export type WorldOptions = {
  readonly serverName: string;
  /** Whose users and aliases are reserved, and what concerns it; none for a homeserver without a service. */
  readonly registration?: Registration | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
  /** A world kept earlier by `toJSON`. */
  readonly snapshot?: WorldSnapshot | undefined;
};

export type World = ReturnType<typeof createWorld>;

export function createWorld(options: WorldOptions) {
  const { serverName, registration, clock, random } = options;
  const state: WorldState = {
    serverName,
    service: registration && serviceOf(registration, serverName),
    clock,
    random,
    position: 0,
    users: new Map(),
    sessions: new Map(),
    rooms: new Map(),
    aliases: new Map(),
    transactions: new Map(),
    openIdTokens: new Map(),
    media: new Map(),
    onEvent: new Set(),
    onEphemeral: new Set(),
  };
  if (options.snapshot) restore(state, options.snapshot);

  const of =
    <Given extends unknown[], Result>(operation: (world: WorldState, ...given: Given) => Result) =>
    (...given: Given): Result =>
      operation(state, ...given);
  const listen = <Told>(listeners: Set<(told: Told) => void>, listener: (told: Told) => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  return {
    serverName,
    service: state.service,

    register: of(register),
    addRemoteUser: of(addRemoteUser),
    logIn: of(logIn),
    tokenOf: of(tokenOf),
    session: (token: string): Session | undefined => state.sessions.get(token),
    isRegistered: (user: string): boolean => state.users.get(user)?.registered === true,
    profile: of(profile),
    setDisplayName: of(setDisplayName),
    setAvatarUrl: of(setAvatarUrl),
    requestOpenIdToken: of(requestOpenIdToken),
    openIdUser: of(openIdUser),

    createRoom: of(createRoom),
    upgrade: of(upgrade),
    invite: of(invite),
    join: of(join),
    leave: of(leave),
    kick: of(kick),
    ban: of(ban),
    unban: of(unban),
    setAlias: of(setAlias),
    removeAlias: of(removeAlias),
    resolveAlias: of(resolveAlias),
    hasAlias: (alias: string): boolean => state.aliases.has(alias),
    aliases: of(readAliases),

    send: of(send),
    setState: of(setState),
    redact: of(redact),
    setTyping: of(setTyping),
    sendReceipt: of(sendReceipt),
    upload: of(upload),
    download: of(download),
    /** Client transaction ids are forgotten, as by a homeserver's restart. */
    forgetTransactions: () => forgetTransactions(state),

    messages: of(messages),
    event: of(readEvent),
    state: of(readState),
    stateEvent: of(readStateEvent),
    members: of(readMembers),
    joinedMembers: of(joinedMembers),
    joinedRooms: of(joinedRooms),
    typingUsers: of(typingUsers),
    sync: of(sync),
    clientEvent: of(clientEvent),

    /** All of a room, oldest first, whoever asks; empty for a room that does not exist. */
    timeline: (roomId: string): readonly StoredEvent[] => state.rooms.get(roomId)?.timeline ?? [],
    roomIds: (): string[] => [...state.rooms.keys()],
    /** Whether an event, at the time of the call, is one the service is told of. */
    concernsService: of(concernsService),
    roomConcernsService: of(roomConcernsService),

    /** Each event as it is stored, in order. Returns the way to stop. */
    onEvent: (listener: (event: StoredEvent) => void) => listen(state.onEvent, listener),
    onEphemeral: (listener: (notice: Ephemeral) => void) => listen(state.onEphemeral, listener),
    toJSON: (): WorldSnapshot => snapshot(state),
  };
}
