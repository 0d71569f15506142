/**
 * Spells the keys of table `memory`; nobody else does. Stored per tenant and room, under a hash, since ids may hold any
 * character. Pointers sort by time, then arrival.
 */
import { createHash } from 'node:crypto';
import type { Key } from '../runtime/table.ts';

function hash(...fields: readonly string[]): string {
  return createHash('sha256').update(fields.join('\0')).digest().subarray(0, 16).toString('base64url');
}

/** Where one room's memory of one tenant lies. */
export type Place = { readonly tenant: string; readonly room: string };

export type Pointer = { readonly at: number; readonly order: string; readonly event: string };

const partition = (kind: string, { tenant, room }: Place) => `${kind}#${hash(tenant, room)}`;

export const keys = {
  /** M: a message. */
  message: (place: Place, event: string): Key => ({ pk: partition('M', place), sk: `M#${hash(event)}` }),
  /** X: an edit of a message, which may come before it. */
  edit: (place: Place, message: string, edit: string): Key => ({
    pk: partition('M', place),
    sk: `X#${hash(message)}#${hash(edit)}`,
  }),
  edits: (place: Place, message: string) => ({
    pk: partition('M', place),
    from: `X#${hash(message)}#`,
    to: `X#${hash(message)}#~`,
  }),
  /** B: a pointer to a message that is in no chunk yet. */
  pointer: (place: Place, { at, order, event }: Pointer): Key => ({
    pk: partition('B', place),
    sk: `B#${String(Math.floor(at)).padStart(13, '0')}#${order}#${hash(event)}`,
  }),
  pointers: (place: Place) => ({ pk: partition('B', place), from: 'B#', to: 'B#~' }),
  /** H: the room's ledger. */
  ledger: (place: Place): Key => ({ pk: partition('H', place), sk: 'H' }),
  /** The bot has left the room: its memory goes when this is due. */
  left: (place: Place): Key => ({ pk: partition('H', place), sk: 'LEFT' }),
  /** Every row of a room but that mark. */
  everything: (place: Place) => [
    ...['M', 'B', 'C', 'R'].map((kind) => ({ pk: partition(kind, place), from: '!', to: '~' })),
    { pk: partition('H', place), from: 'H', to: 'H' },
  ],
  chunk: (place: Place, chunk: string): Key => ({ pk: partition('C', place), sk: `C#${chunk}` }),
  /** R: a member of the room. */
  member: (place: Place, user: string): Key => ({ pk: partition('R', place), sk: `R#${hash(user)}` }),
  members: (place: Place) => ({ pk: partition('R', place), from: 'R#', to: 'R#~' }),
} as const;
