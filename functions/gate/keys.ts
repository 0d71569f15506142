/**
 * Spells the keys of table `gate`; nobody else does. Rows of one room lie together under its hash, what is known of one
 * event under the event's own, since ids may hold any character and be 255 bytes long.
 */
import { createHash } from 'node:crypto';
import type { Key } from '../runtime/table.ts';

/** 22 characters over the fields; no field can imitate a boundary. */
export function hash(...fields: readonly string[]): string {
  return createHash('sha256').update(fields.join('\0')).digest().subarray(0, 16).toString('base64url');
}

const inRoom = (room: string, sk: string): Key => ({ pk: `R#${hash(room)}`, sk });

export const keys = {
  /** E: the record of an event. */
  record: (room: string, event: string): Key => ({ pk: `E#${hash(room, event)}`, sk: 'E' }),
  /** O: an event of our own. */
  own: (room: string, event: string): Key => ({ pk: `E#${hash(room, event)}`, sk: 'O' }),
  /** P: what is known of a room. */
  picture: (room: string): Key => inRoom(room, 'P'),
  /** N: a speaker's display name. */
  name: (room: string, user: string): Key => inRoom(room, `N#${hash(user)}`),
  /** A: a thread in which the bot answered. */
  mark: (room: string, thread: string): Key => inRoom(room, `A#${hash(thread)}`),
  /** W: how quickly one sender and the bot answer each other. */
  pace: (room: string): Key => inRoom(room, 'W'),
  /** K: a notice, once per window. */
  notice: (room: string, kind: string, window: string): Key => inRoom(room, `K#${kind}#${window}`),
  /** L: what was accepted in one window; the scope is a sender, a room, or a room's peers. */
  limit: (scope: string, window: number): Key => ({ pk: `L#${hash(scope)}`, sk: String(window) }),
  /** The newest transaction's time, for the alarm and the ping after an outage. */
  pulse: (): Key => ({ pk: 'PULSE', sk: 'PULSE' }),
} as const;
