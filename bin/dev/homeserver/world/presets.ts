/** What a new room begins with, by its preset, as Synapse sets it (spec: createRoom, "preset"). */
import type { RoomVersion } from './versions.ts';

export const presets = ['private_chat', 'trusted_private_chat', 'public_chat'] as const;
export type Preset = (typeof presets)[number];

/** Types and contents of the first state, in order; each is left out where the caller gives his own. */
export function presetState(preset: Preset): { type: string; content: Record<string, unknown> }[] {
  const open = preset === 'public_chat';
  return [
    { type: 'm.room.join_rules', content: { join_rule: open ? 'public' : 'invite' } },
    { type: 'm.room.history_visibility', content: { history_visibility: 'shared' } },
    ...(open ? [] : [{ type: 'm.room.guest_access', content: { guest_access: 'can_join' } }]),
  ];
}

/** `users` are those who get 100: nobody from room version 12, where creators need no level. */
export function presetLevels(preset: Preset, version: RoomVersion, users: readonly string[]) {
  const open = preset === 'public_chat';
  return {
    users: Object.fromEntries(users.map((user) => [user, 100])),
    users_default: 0,
    events: {
      'm.room.name': 50,
      'm.room.power_levels': 100,
      'm.room.history_visibility': 100,
      'm.room.canonical_alias': 50,
      'm.room.avatar': 50,
      'm.room.tombstone': version.creatorsAbove ? 150 : 100,
      'm.room.server_acl': 100,
      'm.room.encryption': 100,
      ...(open ? { 'm.call.invite': 50 } : {}),
    },
    events_default: 0,
    state_default: 50,
    ban: 50,
    kick: 50,
    redact: 50,
    invite: open ? 50 : 0,
    historical: 100,
  };
}
