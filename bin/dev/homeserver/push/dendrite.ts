/**
 * Dendrite's way of pushing. A transaction is a batch of at most 50 messages of a durable stream, named by the time
 * of its first one in ns. A failed batch is fetched again and may have grown or shrunk, under the same id. A
 * message's event is as it was when it was stored: redacted since, it still has its text. State that an event brings
 * with it stands behind it, though it is older, and some state events come twice. No typing, no receipts.
 */

import type { Json } from '../world/client-event.ts';
import type { StoredEvent } from '../world/event.ts';
import { stateId } from '../world/state.ts';
import type { Outbox, OutboxOptions, Style } from './style.ts';

const MAX_MESSAGES = 50;

type Message = { readonly stamp: bigint; readonly events: readonly Json[] };

export const dendrite: Style = {
  outbox: dendriteOutbox,
  accepts: (status) => status === 200,
  pause: (failures) => 2 ** Math.min(failures, 6),
  pingEndsPause: false,
};

function dendriteOutbox({ world, random, now }: OutboxOptions): Outbox {
  const stream: Message[] = [];
  let lastStamp = 0n;
  let size: number | undefined;
  /** Drawn for a batch that is fetched again: how much of what it may hold it holds this time. */
  let share: number | undefined;

  const form = { legacy: false, withAge: false } as const;
  const eventsOf = (event: StoredEvent): Json[] => {
    const own = world.clientEvent(event, form);
    if (event.stateKey === undefined) return [own];
    const isOurJoin = event.content.membership === 'join' && world.service?.isOurs(event.stateKey);
    const older = isOurJoin ? olderState(world.timeline(event.room), event) : [];
    const again = random.unit() < 0.5 ? [own] : [];
    return [own, ...older.map((one) => world.clientEvent(one, form)), ...again];
  };

  return {
    take(event) {
      const stamp = BigInt(now()) * 1_000_000n;
      lastStamp = stamp > lastStamp ? stamp : lastStamp + 1n;
      stream.push({ stamp: lastStamp, events: eventsOf(event) });
    },
    takeEphemeral() {},
    next() {
      const most = Math.min(MAX_MESSAGES, stream.length);
      if (most === 0) return undefined;
      size ??= share === undefined ? most : 1 + Math.floor(share * most);
      const batch = stream.slice(0, size);
      return {
        id: `${batch[0]!.stamp}`,
        body: { events: batch.flatMap(({ events }) => events) },
        isBacklog: false,
      };
    },
    settle(delivered) {
      if (size === undefined) return;
      if (delivered) stream.splice(0, size);
      share = delivered ? undefined : random.unit();
      size = undefined;
    },
    waiting: () => stream.length,
    repartition(drawn) {
      share = drawn.unit();
    },
    restart() {
      if (size !== undefined) share = random.unit();
      size = undefined;
    },
  };
}

/** The newest event of each kind of state before this one. */
function olderState(timeline: readonly StoredEvent[], until: StoredEvent): StoredEvent[] {
  const state = new Map<string, StoredEvent>();
  for (const event of timeline)
    if (event.stateKey !== undefined && event.position < until.position)
      state.set(stateId(event.type, event.stateKey), event);
  return [...state.values()].filter((event) => event.id !== until.replaces);
}
