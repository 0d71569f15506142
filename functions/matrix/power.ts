/**
 * Power levels of a room: who may say what. Numbers of old rooms are read first (strings as " +100 ", floats), then
 * compared; what is no number at all is NaN, with which every comparison is false, so that garbage refuses.
 * From room version 12 its creators stand above all levels. Spec v1.19: `m.room.power_levels`, room versions 1–12.
 */
import { at, isRecord, type Json, recordAt, strings, textAt } from './json.ts';

export type PowerLevels = {
  /** Infinity for a creator from room version 12; NaN if the level is not readable. */
  of(userId: string): number;
  /** The level it takes to send an event of a type that is no state. */
  toSend(type: string): number;
  /** The level it takes to set a state of that type. */
  toSet(type: string): number;
  /** The level it takes to redact what others have sent. */
  toRedact(): number;
};

/** The room's `m.room.create`, as far as power depends on it. */
export type Creation = { readonly sender: string; readonly content: Json };

/**
 * `content` is that of `m.room.power_levels`, or a whole event of that type; anything that is no record counts as a
 * room without such an event, in which everybody may speak. Without `create` no creator is known.
 */
export function powerLevels(content: unknown, create?: Creation): PowerLevels {
  const levels = recordAt(content, 'content') ?? content;
  const creators = new Set(create && creatorsOf(create));
  const reign = create && isAboveAll(create.content) ? Number.POSITIVE_INFINITY : 100;
  // Before version 12 a creator's level is in the event, and only a room without one has it from the rules.
  const reigns = reign > 100 || !isRecord(levels);
  return {
    of: (userId) =>
      reigns && creators.has(userId)
        ? reign
        : level(at(at(levels, 'users'), userId) ?? at(levels, 'users_default') ?? 0),
    toSend: (type) => level(at(at(levels, 'events'), type) ?? at(levels, 'events_default') ?? 0),
    toSet: (type) =>
      level(at(at(levels, 'events'), type) ?? at(levels, 'state_default') ?? (isRecord(levels) ? 50 : 0)),
    toRedact: () => level(at(levels, 'redact') ?? 50),
  };
}

/** Whether the user may speak in the room: has the level for messages (or encrypted ones), and also `required`. */
export function maySpeak(
  levels: PowerLevels,
  userId: string,
  { required = 0, encrypted = false }: { required?: number; encrypted?: boolean } = {},
): boolean {
  const toSend = levels.toSend(encrypted ? 'm.room.encrypted' : 'm.room.message');
  return levels.of(userId) >= Math.max(toSend, required);
}

function creatorsOf({ sender, content }: Creation): readonly string[] {
  return isAboveAll(content) ? [sender, ...strings(at(content, 'additional_creators'))] : [sender];
}

/** Versions without a number are other people's experiments: nobody can know what a creator is there. */
function isAboveAll(create: unknown): boolean {
  const version = textAt(create, 'room_version') ?? '1';
  return /^\d{1,4}$/.test(version) && Number(version) >= 12;
}

function level(value: unknown): number {
  const bare: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof bare === 'number' || typeof bare === 'string' || typeof bare === 'boolean'
    ? Math.trunc(Number(bare))
    : Number.NaN;
}
