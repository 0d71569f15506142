/**
 * Making a room, in the order a homeserver does: create, the creator's join, power levels, alias, the preset's
 * state, the caller's state, name, topic, invitations. The options keep the names of the API
 * (https://spec.matrix.org/v1.16/client-server-api/#post_matrixclientv3createroom).
 */
import { checkAlias } from './aliases.ts';
import { checkLevelsForm } from './authorize.ts';
import { checkContent, checkSize } from './content.ts';
import type { Content, Draft } from './event.ts';
import { invalid } from './fault.ts';
import { inviteWith } from './members.ts';
import { creatorsNamed, POWER_LEVELS } from './power.ts';
import { type Preset, presetLevels, presetState } from './presets.ts';
import type { Room, WorldState } from './state.ts';
import { append } from './timeline.ts';
import { isUserId, profileContent } from './users.ts';
import { DEFAULT_ROOM_VERSION, type RoomVersion, roomVersion } from './versions.ts';

export type CreateRoomOptions = {
  readonly preset?: Preset | undefined;
  readonly visibility?: 'public' | 'private' | undefined;
  readonly is_direct?: boolean | undefined;
  readonly invite?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly topic?: string | undefined;
  readonly room_version?: string | undefined;
  readonly room_alias_name?: string | undefined;
  readonly creation_content?: Content | undefined;
  readonly initial_state?:
    | readonly {
        readonly type: string;
        readonly state_key?: string | undefined;
        readonly content: Content;
      }[]
    | undefined;
  readonly power_level_content_override?: Content | undefined;
};

/** Returns the room id. What is refused before the invitations go out leaves no room behind. */
export function createRoom(world: WorldState, user: string, options: CreateRoomOptions = {}): string {
  const version = roomVersion(options.room_version ?? DEFAULT_ROOM_VERSION);
  const preset = options.preset ?? (options.visibility === 'public' ? 'public_chat' : 'private_chat');
  const invited = options.invite ?? [];
  const misfit = invited.find((one) => !isUserId(one));
  if (misfit !== undefined) throw invalid(`Invalid user_id: ${misfit}`);
  for (const { type } of options.initial_state ?? [])
    if (type === 'm.room.create' || type === 'm.room.member') throw invalid(`No ${type} in initial_state`);
  const alias = options.room_alias_name && `#${options.room_alias_name}:${world.serverName}`;
  if (alias) checkAlias(world, user, alias, invalid('Room alias already taken', 'M_ROOM_IN_USE'));

  const room = emptyRoom(newRoomId(world, version), version);
  const drafts = firstState(world, user, { ...options, preset, invite: invited }, version, alias);
  for (const draft of drafts) {
    checkContent(room, draft.type, draft.content);
    checkSize(room, draft);
    if (draft.type === POWER_LEVELS)
      checkLevelsForm(version, creatorsNamed(version, drafts[0]!), draft.content);
  }

  world.rooms.set(room.id, room);
  for (const draft of drafts) append(world, room, draft);
  if (alias) world.aliases.set(alias, room.id);
  const more = options.is_direct ? { is_direct: true } : {};
  for (const one of invited) inviteWith(world, user, room.id, one, more);
  return room.id;
}

export function emptyRoom(id: string, version: RoomVersion): Room {
  return {
    id,
    version,
    timeline: [],
    events: new Map(),
    state: new Map(),
    memberships: new Map(),
    typing: new Map(),
    typingPosition: 0,
    receipts: new Map(),
  };
}

type Chosen = CreateRoomOptions & { readonly preset: Preset; readonly invite: readonly string[] };

function firstState(
  world: WorldState,
  user: string,
  options: Chosen,
  version: RoomVersion,
  alias: string | undefined,
): Draft[] {
  const { preset, name, topic, initial_state: own = [] } = options;
  const trusted = preset === 'trusted_private_chat' ? options.invite : [];
  const state = (type: string, content: Content, stateKey = '') => ({
    type,
    sender: user,
    stateKey,
    content,
  });
  const levels = {
    ...presetLevels(preset, version, version.creatorsAbove ? [] : [user, ...trusted]),
    ...options.power_level_content_override,
  };
  const replaced = new Set(own.filter(({ state_key }) => !state_key).map(({ type }) => type));
  return [
    state('m.room.create', createContent(version, user, trusted, options.creation_content)),
    state('m.room.member', { ...profileContent(world, user), membership: 'join' }, user),
    ...[
      state(POWER_LEVELS, levels),
      ...(alias ? [state('m.room.canonical_alias', { alias })] : []),
      ...presetState(preset).map(({ type, content }) => state(type, content)),
    ].filter(({ type }) => !replaced.has(type)),
    ...own.map(({ type, content, state_key }) => state(type, content, state_key)),
    ...(name ? [state('m.room.name', { name })] : []),
    ...(topic ? [state('m.room.topic', { topic, 'm.topic': { 'm.text': [{ body: topic }] } })] : []),
  ];
}

function createContent(
  version: RoomVersion,
  user: string,
  trusted: readonly string[],
  given: Content = {},
): Content {
  const others = Array.isArray(given.additional_creators) ? given.additional_creators : [];
  const creators = [...new Set([...others, ...trusted])];
  return {
    ...given,
    ...(version.namesCreator ? { creator: user } : {}),
    ...(version.creatorsAbove && creators.length > 0 ? { additional_creators: creators } : {}),
    room_version: version.id,
  };
}

/** From room version 12 the create event has the same hash for its id (`timeline.ts`). */
function newRoomId(world: WorldState, version: RoomVersion): string {
  return version.creatorsAbove ? `!${world.random.id(43)}` : `!${world.random.id(18)}:${world.serverName}`;
}
