/**
 * Power levels: who has how much, and how much a thing needs (https://spec.matrix.org/v1.16/rooms/v12/ and older,
 * "Authorization rules"). From room version 12 a creator has infinitely much.
 */
import { type Content, type Draft, isObject } from './event.ts';
import { type Room, stateEvent } from './state.ts';
import type { RoomVersion } from './versions.ts';

export const POWER_LEVELS = 'm.room.power_levels';

/** The content of a room's power levels; each room has some, but for the moments in which it is made. */
export const levelsOf = (room: Room): Content => stateEvent(room, POWER_LEVELS)?.content ?? {};

export const creatorsAbove = (room: Room): string[] =>
  creatorsNamed(room.version, stateEvent(room, 'm.room.create')!);

/** Who stands above all levels, by a create event: nobody before room version 12. */
export function creatorsNamed(version: RoomVersion, create: Draft): string[] {
  if (!version.creatorsAbove) return [];
  const others = create.content.additional_creators;
  return [create.sender, ...(Array.isArray(others) ? others : []).filter((user) => typeof user === 'string')];
}

export function powerOf(room: Room, user: string): number {
  if (creatorsAbove(room).includes(user)) return Number.POSITIVE_INFINITY;
  const levels = levelsOf(room);
  return entry(levels, 'users', user) ?? level(levels.users_default) ?? 0;
}

export function powerToSend(room: Room, type: string, isState: boolean): number {
  const levels = levelsOf(room);
  const fallback = isState ? (level(levels.state_default) ?? 50) : (level(levels.events_default) ?? 0);
  return entry(levels, 'events', type) ?? fallback;
}

export function powerTo(room: Room, action: 'invite' | 'kick' | 'ban' | 'redact'): number {
  return level(levelsOf(room)[action]) ?? (action === 'invite' ? 0 : 50);
}

export function entry(levels: Content, group: string, name: string): number | undefined {
  const entries = levels[group];
  return isObject(entries) && Object.hasOwn(entries, name) ? level(entries[name]) : undefined;
}

/** A level as written: an integer, or in old rooms a string or a fraction, which is cut. */
export function level(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? Math.trunc(number) : undefined;
}
