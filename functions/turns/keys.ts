/** Spells the keys of table `turns`; nobody else does. A turn's rows lie under its id, a conversation's under `C#`. */
import type { Key } from '../runtime/table.ts';
import { hashOf, millis } from './ids.ts';

const digits = (seq: number) => String(seq).padStart(10, '0');

export const keys = {
  meta: (turn: string): Key => ({ pk: turn, sk: 'META' }),
  head: (turn: string): Key => ({ pk: turn, sk: 'HEAD' }),
  segment: (turn: string, last: number, attempt: number): Key => ({
    pk: turn,
    sk: `S#${digits(last)}#${attempt}`,
  }),
  /** Segments whose last event lies in (`after`, `upTo`]. */
  segments: (turn: string, after: number, upTo: number) => ({
    pk: turn,
    from: `S#${digits(after + 1)}`,
    to: `S#${digits(upTo)}#~`,
  }),
  /** Those no write committed included. */
  everySegment: (turn: string) => ({ pk: turn, from: 'S#', to: 'S#~' }),
  final: (turn: string, attempt: number): Key => ({ pk: turn, sk: `FINAL#${attempt}` }),
  parts: (turn: string): Key => ({ pk: turn, sk: 'PARTS' }),
  part: (turn: string, part: string): Key => ({ pk: turn, sk: `PART#${part}` }),
  everyPart: (turn: string) => ({ pk: turn, from: 'PART#', to: 'PART#~' }),
  everyFinal: (turn: string) => ({ pk: turn, from: 'FINAL#', to: 'FINAL#~' }),
  consent: (turn: string, seq: number): Key => ({ pk: turn, sk: `CONSENT#${seq}` }),
  run: (conversation: string): Key => ({ pk: `C#${conversation}`, sk: 'RUN' }),
  unfinished: (conversation: string, order: string, turn: string): Key => ({
    pk: `C#${conversation}`,
    sk: `T#${order}#${turn}`,
  }),
  /** The unfinished turns of a conversation that came after the given one (all of them without it). */
  unfinishedAfter: (conversation: string, order = '', turn = '') => ({
    pk: `C#${conversation}`,
    from: order ? `T#${order}#${turn}!` : 'T#',
    to: 'T#~',
  }),
  unfinishedBefore: (conversation: string, order: string) => ({
    pk: `C#${conversation}`,
    from: 'T#',
    to: `T#${order}`,
  }),
  said: (conversation: string, at: number, order: string, event: string): Key => ({
    pk: `C#${conversation}`,
    sk: `Y#${millis(at)}#${order}#${event}`,
  }),
  /** A token that was shown to us, by its hash. */
  spent: (hash: string): Key => ({ pk: `N#${hash}`, sk: 'SPENT' }),
  /** The code a person was sent. */
  code: (user: string): Key => ({ pk: `N#${hashOf('code', user)}`, sk: 'CODE' }),
  /** The room in which codes are sent. */
  codeRoom: (user: string): Key => ({ pk: `N#${hashOf('code', user)}`, sk: 'ROOM' }),
  /** What was done in a window, by name: `start` of a principal, `session` of an address. */
  quota: (name: string, window: number): Key => ({ pk: `Q#${hashOf('quota', name)}#${window}`, sk: 'Q' }),
  history: (conversation: string) => ({ pk: `C#${conversation}`, from: 'Y#', to: 'Y#~' }),
} as const;
