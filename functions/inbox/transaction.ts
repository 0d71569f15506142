/**
 * Takes a transaction's events: each is decided once, whatever is delivered twice, and everything that follows from it is
 * done or on its way before this resolves. Events of a room go in order, rooms in parallel. An odd event is skipped and
 * counted; only a store that cannot be reached fails the whole, and then the homeserver repeats it.
 */
import { keys } from '../gate/keys.ts';
import { parseEvent, type RoomEvent } from '../matrix/event.ts';
import { Unavailable } from '../runtime/table.ts';
import type { Arrived } from './message.ts';
import type { InboxDeps } from './ports.ts';
import { type EventRecord, recordOf } from './record.ts';
import { takeRoom } from './room.ts';

const ROOMS_AT_ONCE = 16;
/** The homeserver is not waited for longer in one transaction; rooms it did not tell of by then are a worker's. ms */
const PATIENCE_MS = 4_000;

/** `orderOf(received, index)` says where an event stands; it must sort as text. */
export async function takeEvents(
  deps: InboxDeps,
  raws: readonly unknown[],
  orderOf: (received: number, index: number) => string,
): Promise<void> {
  const received = deps.clock.now();
  const began = deps.clock.monotonic();
  const patience = () => PATIENCE_MS - (deps.clock.monotonic() - began);
  const rooms = new Map<string, Map<string, Arrived & { raw: unknown }>>();
  for (const [index, raw] of raws.entries()) {
    const event = parsed(deps, raw);
    if (!event) continue;
    const room = rooms.get(event.room) ?? new Map<string, Arrived & { raw: unknown }>();
    rooms.set(event.room, room);
    // The same event twice in one transaction is one event.
    if (!room.has(event.id)) room.set(event.id, { event, raw, received, order: orderOf(received, index) });
  }
  const records = await readRecords(
    deps,
    [...rooms.values()].flatMap((room) => [...room.values()]),
  );
  const waiting = [...rooms.values()];
  const failures: unknown[] = [];
  const work = async () => {
    for (let room = waiting.shift(); room; room = waiting.shift())
      await takeRoom(deps, [...room.values()], records, patience).catch((error: unknown) =>
        failures.push(error),
      );
  };
  await Promise.all(Array.from({ length: Math.min(ROOMS_AT_ONCE, rooms.size) }, work));
  // Every room has had its turn: what one room's store refused must not keep the others waiting.
  if (failures.length > 0) throw failures.find((error) => error instanceof Unavailable) ?? failures[0];
}

function parsed(deps: InboxDeps, raw: unknown): RoomEvent | undefined {
  const result = parseEvent(raw);
  if (!result.ok) {
    deps.count('OddEvents');
    deps.log('an odd event was skipped', { event: result.id, fault: result.fault });
    return undefined;
  }
  if (!result.event.softFailed) return result.event;
  deps.count('SoftFailedEvents');
  return undefined;
}

async function readRecords(deps: InboxDeps, arrived: readonly Arrived[]): Promise<Map<string, EventRecord>> {
  const events = arrived.filter(({ event }) => event.stateKey === undefined);
  const rows = await deps.table.getMany(events.map(({ event }) => keys.record(event.room, event.id)));
  return new Map(rows.map((row) => [row.pk, recordOf(row)]));
}
