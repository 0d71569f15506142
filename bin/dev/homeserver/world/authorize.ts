/**
 * Whether a joined user may send an event that is no membership (those have rules of their own, `members.ts`), and
 * which changes of the power levels are allowed (https://spec.matrix.org/v1.16/rooms/v12/#authorization-rules).
 */
import { type Content, type Draft, isObject } from './event.ts';
import { forbidden, invalid } from './fault.ts';
import { creatorsAbove, entry, level, levelsOf, POWER_LEVELS, powerOf, powerToSend } from './power.ts';
import type { Room } from './state.ts';
import type { RoomVersion } from './versions.ts';

export function authorize(room: Room, draft: Draft): void {
  const { sender, type, stateKey } = draft;
  if (type === 'm.room.create') throw forbidden('A room is created once');
  const has = powerOf(room, sender);
  const needs = powerToSend(room, type, stateKey !== undefined);
  if (has < needs)
    throw forbidden(
      `You don't have permission to post that to the room. user_level (${has}) < send_level (${needs})`,
    );
  if (stateKey?.startsWith('@') && stateKey !== sender)
    throw forbidden('You are not allowed to set others state');
  if (type === POWER_LEVELS && stateKey === '') checkPowerLevels(room, sender, draft.content);
}

const SINGLE_LEVELS = [
  'users_default',
  'events_default',
  'state_default',
  'ban',
  'redact',
  'kick',
  'invite',
] as const;

/** Whether the content is power levels at all; who stands above them must not be in them. */
export function checkLevelsForm(version: RoomVersion, above: readonly string[], content: Content): void {
  const groups = ['users', 'events'].map((name) => content[name] ?? {});
  if (!groups.every(isObject)) throw invalid('users and events must be objects', 'M_BAD_JSON');
  const values = [...SINGLE_LEVELS.map((name) => content[name]), ...groups.flatMap(Object.values)];
  for (const value of values.filter((one) => one !== undefined))
    if (version.integerLevels ? !Number.isInteger(value) : level(value) === undefined)
      throw invalid(`${JSON.stringify(value)} is not of type 'integer'`, 'M_BAD_JSON');
  const listed = above.find((creator) => Object.hasOwn(groups[0]!, creator));
  if (listed) throw invalid(`Creator user ${listed} must not appear in content.users`);
}

function checkPowerLevels(room: Room, sender: string, next: Content): void {
  checkLevelsForm(room.version, creatorsAbove(room), next);
  const now = levelsOf(room);
  const has = powerOf(room, sender);
  const check = (before: number | undefined, after: number | undefined, isOther: boolean) => {
    if (before === after) return;
    if ((before ?? 0) > has || (isOther && before !== undefined && before >= has))
      throw forbidden("You don't have permission to remove ops level equal to or above your own");
    if ((after ?? 0) > has)
      throw forbidden("You don't have permission to add ops level greater than your own");
  };
  for (const name of SINGLE_LEVELS) check(level(now[name]), level(next[name]), false);
  for (const group of ['users', 'events'])
    for (const name of new Set([now, next].flatMap((levels) => Object.keys(levels[group] ?? {}))))
      check(entry(now, group, name), entry(next, group, name), group === 'users' && name !== sender);
}
