/**
 * A room as one run sees it while it decides the room's messages in order: what is stored is read once, together; what
 * the run itself changes (a thread it marked, a pace it counted) is seen by its next decision.
 */
import { isMatrixError } from '../matrix/client.ts';
import { limited, TimeLimit } from '../runtime/limit.ts';
import type { Row } from '../runtime/table.ts';
import { keys } from './keys.ts';
import { markOf } from './mark.ts';
import { readName, storedName } from './names.ts';
import { type Own, ownOf } from './own.ts';
import { type Pace, paceOf } from './pace.ts';
import { type Looked, lookAt, type Stored, storedPicture } from './picture.ts';
import type { GateDeps } from './ports.ts';
import type { RoomReader } from './read-room.ts';

export type RoomView = {
  /** The room's picture, read at most once in this view. */
  look(): Promise<Looked>;
  name(user: string): Promise<string>;
  /** The event of ours with that id, if it is one of those asked for. */
  own(event: string): Own | undefined;
  /** Whether the bot sent the event: from our own records, else by one read of it. Unreadable means no. */
  isBots(event: string): Promise<boolean>;
  markedUntil(thread: string): number | undefined;
  marked(thread: string, until: number): void;
  pace(): Pace | undefined;
  paced(pace: Pace): void;
};

/** What a view is to know of, gathered from the messages it will decide. */
export type Asked = {
  readonly senders: readonly string[];
  readonly threads: readonly string[];
  readonly events: readonly string[];
};

/** A quoted event or a name is not waited for longer, nor the homeserver in all while one view lasts, ms. */
const ONE_MS = 2_000;
const ALL_MS = 4_000;

export const readerOf = ({ options, namespace }: GateDeps): RoomReader => ({
  namespace,
  isService: options.isService,
  readMembers: options.groupRooms !== 'answer',
});

export async function roomView(
  deps: GateDeps,
  room: string,
  asked: Asked,
  patienceMs = ALL_MS,
): Promise<RoomView> {
  const { table, matrix, clock, options, namespace } = deps;
  const rows = new Map<string, Row>();
  for (const row of await table.getMany([
    keys.picture(room),
    keys.pace(room),
    ...asked.senders.map((user) => keys.name(room, user)),
    ...asked.threads.map((thread) => keys.mark(room, thread)),
    ...asked.events.map((event) => keys.own(room, event)),
  ]))
    rows.set(row.pk + row.sk, row);
  const rowAt = ({ pk, sk }: { pk: string; sk: string }) => rows.get(pk + sk);
  const stored: Stored = storedPicture(rowAt(keys.picture(room)), clock.now(), options);
  let looked: Promise<Looked> | undefined;
  let pace = paceOf(rowAt(keys.pace(room)));
  const names = new Map<string, Promise<string>>();
  const marks = new Map<string, number>();
  const bots = new Map<string, Promise<boolean>>();

  let left = patienceMs;

  /** Reads from the homeserver, but no longer than that, nor than what is left of the patience with it. */
  async function inTime<T>(ms: number, read: (signal: AbortSignal) => Promise<T>, otherwise: T): Promise<T> {
    if (left <= 0) return otherwise;
    const began = clock.monotonic();
    try {
      return await limited(clock, Math.min(ms, left), undefined, read);
    } catch (error) {
      if (!(error instanceof TimeLimit)) throw error;
      return otherwise;
    } finally {
      left -= clock.monotonic() - began;
    }
  }

  function look(): Promise<Looked> {
    const reading = { table, matrix, reader: readerOf(deps) };
    const last: Looked = stored.left
      ? { kind: 'gone' }
      : stored.picture
        ? { kind: 'known', picture: stored.picture }
        : { kind: 'unreadable' };
    return inTime(patienceMs, (signal) => lookAt(reading, room, stored, clock.now(), signal), last);
  }

  async function wasBots(event: string): Promise<boolean> {
    if (ownOf(rowAt(keys.own(room, event)))) return true;
    const sentBy = async (signal: AbortSignal) => (await matrix.event(room, event, { signal }))?.sender;
    try {
      return (await inTime(ONE_MS, sentBy, undefined)) === namespace.bot;
    } catch (error) {
      if (!isMatrixError(error)) throw error;
      return false;
    }
  }

  async function readIt(user: string): Promise<string> {
    const [now, { generation }] = [clock.now(), stored];
    const known = storedName(rowAt(keys.name(room, user)), generation, now, options.roomInfoTtlMs);
    const read = (signal: AbortSignal) => readName({ table, matrix }, room, user, generation, now, signal);
    return known ?? inTime(ONE_MS, read, user);
  }

  return {
    look() {
      looked ??= look();
      return looked;
    },
    name(user) {
      const name = names.get(user) ?? readIt(user);
      names.set(user, name);
      return name;
    },
    own: (event) => ownOf(rowAt(keys.own(room, event))),
    isBots(event) {
      const known = bots.get(event) ?? wasBots(event);
      bots.set(event, known);
      return known;
    },
    markedUntil: (thread) => marks.get(thread) ?? markOf(rowAt(keys.mark(room, thread))),
    marked: (thread, until) => void marks.set(thread, until),
    pace: () => pace,
    paced(next) {
      pace = next;
    },
  };
}
