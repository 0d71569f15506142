/**
 * A room as one run sees it while it decides the room's messages in order: what is stored is read once, together; what
 * the run itself changes (a thread it marked, a pace it counted) is seen by its next decision.
 */
import { isMatrixError } from '../matrix/client.ts';
import { limited, TimeLimit } from '../runtime/limit.ts';
import type { Row } from '../runtime/table.ts';
import type { GateDeps } from './decide.ts';
import { keys } from './keys.ts';
import { markOf } from './mark.ts';
import { readName, storedName } from './names.ts';
import { type Own, ownOf } from './own.ts';
import { type Pace, paceOf } from './pace.ts';
import { type Looked, lookAt, type Stored, storedPicture } from './picture.ts';
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

/** A quoted event, or a room that does not answer, is not waited for longer, ms. */
const EVENT_MS = 2_000;
const ROOM_MS = 4_000;

export const readerOf = ({ options, namespace }: GateDeps): RoomReader => ({
  namespace,
  isService: options.isService,
  readMembers: options.groupRooms !== 'answer',
});

export async function roomView(
  deps: GateDeps,
  room: string,
  asked: Asked,
  patienceMs = ROOM_MS,
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

  async function look(): Promise<Looked> {
    const reading = { table, matrix, reader: readerOf(deps) };
    try {
      return await limited(clock, patienceMs, undefined, (signal) =>
        lookAt(reading, room, stored, clock.now(), signal),
      );
    } catch (error) {
      if (!(error instanceof TimeLimit)) throw error;
      return stored.picture ? { kind: 'known', picture: stored.picture } : { kind: 'unreadable' };
    }
  }

  async function wasBots(event: string): Promise<boolean> {
    if (ownOf(rowAt(keys.own(room, event)))) return true;
    try {
      const read = await limited(clock, EVENT_MS, undefined, (signal) =>
        matrix.event(room, event, { signal }),
      );
      return read?.sender === namespace.bot;
    } catch (error) {
      if (!isMatrixError(error) && !(error instanceof TimeLimit)) throw error;
      return false;
    }
  }

  async function readIt(user: string): Promise<string> {
    const [now, { generation }] = [clock.now(), stored];
    const known = storedName(rowAt(keys.name(room, user)), generation, now, options.roomInfoTtlMs);
    if (known !== undefined) return known;
    try {
      const reading = { table, matrix };
      return await limited(clock, EVENT_MS, undefined, (signal) =>
        readName(reading, room, user, generation, now, signal),
      );
    } catch (error) {
      if (!(error instanceof TimeLimit)) throw error;
      return user;
    }
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
