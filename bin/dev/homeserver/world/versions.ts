/**
 * What differs between room versions 1 to 12, as far as an application service can see it: ids, creators, power
 * levels, and which keys a redaction leaves (https://spec.matrix.org/v1.16/rooms/).
 */
import { invalid } from './fault.ts';

export type RoomVersion = {
  readonly id: string;
  /** From 12: creators stand above all levels, and the room id is the create event's hash, without a domain. */
  readonly creatorsAbove: boolean;
  /** Up to 10 the create event's content names the creator. */
  readonly namesCreator: boolean;
  /** From 11 a redaction names its target in its content, not beside it. */
  readonly redactsInContent: boolean;
  /** From 10 power levels are integers; before, strings and fractions count too. */
  readonly integerLevels: boolean;
  /** From 6 no fraction and no integer beyond 2⁵³ stands anywhere in an event. */
  readonly canonicalNumbers: boolean;
  /** 1 and 2: `$opaque:server`; 3: base64, with `/` and `+`; later: base64url. */
  readonly eventIds: 'server' | 'base64' | 'base64url';
  /** Keys of the content that survive a redaction, by type; all of them for `'all'`. */
  readonly keeps: Readonly<Record<string, readonly string[] | 'all'>>;
};

export const DEFAULT_ROOM_VERSION = '12';
const NEWEST = 12;

/** Refuses a version this homeserver does not speak with 400 `M_UNSUPPORTED_ROOM_VERSION`. */
export function roomVersion(id: string): RoomVersion {
  const n = /^[1-9]\d?$/.test(id) ? Number(id) : Number.NaN;
  if (!(n <= NEWEST))
    throw invalid('Your homeserver does not support this room version', 'M_UNSUPPORTED_ROOM_VERSION');
  return {
    id,
    creatorsAbove: n >= 12,
    namesCreator: n <= 10,
    redactsInContent: n >= 11,
    integerLevels: n >= 10,
    canonicalNumbers: n >= 6,
    eventIds: n <= 2 ? 'server' : n === 3 ? 'base64' : 'base64url',
    keeps: {
      'm.room.member': ['membership', ...(n >= 9 ? ['join_authorised_via_users_server'] : [])],
      'm.room.create': n >= 11 ? 'all' : ['creator'],
      'm.room.join_rules': ['join_rule', ...(n >= 8 ? ['allow'] : [])],
      'm.room.power_levels': [
        'ban',
        'events',
        'events_default',
        'kick',
        'redact',
        'state_default',
        'users',
        'users_default',
        ...(n >= 11 ? ['invite'] : []),
      ],
      'm.room.history_visibility': ['history_visibility'],
      ...(n >= 11 ? { 'm.room.redaction': ['redacts'] } : {}),
      ...(n <= 5 ? { 'm.room.aliases': ['aliases'] } : {}),
    },
  };
}
