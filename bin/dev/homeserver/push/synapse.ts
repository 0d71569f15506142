/**
 * Synapse's way of pushing. Transactions are numbered from 1, again from 1 after a restart when none is left over;
 * at most 100 events, however large. A failure marks the service DOWN: from then on each new event becomes a
 * transaction of its own, notices are dropped, and the oldest transaction is tried until all are through. A
 * transaction is rebuilt for each try: other ages, redacted events emptied, no notices.
 */
import type { Json } from '../world/client-event.ts';
import type { StoredEvent } from '../world/event.ts';
import type { Ephemeral } from '../world/state.ts';
import { randomParts } from './parts.ts';
import { isJson } from './service-client.ts';
import type { Outbox, OutboxOptions, Style } from './style.ts';

const MAX_EVENTS = 100;
const MAX_NOTICES = 100;

type Transaction = {
  readonly id: number;
  readonly events: readonly StoredEvent[];
  /** Only the first try has them. */
  notices: readonly Ephemeral[];
};

export const synapse: Style = {
  outbox: synapseOutbox,
  accepts: (status, body) => status >= 200 && status < 300 && isJson(body),
  pause: (failures) => 2 ** Math.min(failures, 9),
  pingEndsPause: true,
};

function synapseOutbox({ world }: OutboxOptions): Outbox {
  let queue: StoredEvent[] = [];
  let notices: Ephemeral[] = [];
  /** In the database: made, not yet delivered, oldest first. */
  let unsent: Transaction[] = [];
  /** In the database too, but overlooked since a kill, until the service is DOWN the next time. */
  let stranded: Transaction[] = [];
  let inFlight: Transaction | undefined;
  let down = false;
  /** After a restart a service that was DOWN is left alone until the next event that concerns it. */
  let dormant = false;
  let lastId = 0;

  const create = (events: readonly StoredEvent[], said: readonly Ephemeral[] = []) => {
    const transaction = { id: ++lastId, events, notices: said };
    unsent.push(transaction);
    return transaction;
  };
  const fromQueue = () =>
    queue.length + notices.length === 0
      ? undefined
      : create(queue.splice(0, MAX_EVENTS), notices.splice(0, MAX_NOTICES));
  const goDown = () => {
    down = true;
    unsent = [...stranded, ...unsent];
    stranded = [];
    while (queue.length > 0) create(queue.splice(0, MAX_EVENTS));
    notices = [];
  };
  const wantsEphemeral = world.service?.registration.receive_ephemeral === true;
  const body = (transaction: Transaction) => ({
    events: transaction.events.map((event) => world.clientEvent(event, { legacy: true })),
    ...(wantsEphemeral
      ? { ephemeral: transaction.notices as readonly Json[], 'de.sorunome.msc2409.to_device': [] }
      : {}),
  });

  return {
    take(event) {
      dormant = false;
      if (down) create([event]);
      else queue.push(event);
    },
    takeEphemeral(notice) {
      if (wantsEphemeral && !down) notices.push(notice);
    },
    next() {
      if (dormant) return undefined;
      inFlight ??= unsent[0] ?? fromQueue();
      return inFlight && { id: `${inFlight.id}`, body: body(inFlight), isBacklog: down };
    },
    settle(delivered) {
      if (!inFlight) return;
      if (delivered) {
        unsent = unsent.filter((transaction) => transaction !== inFlight);
        if (unsent.length === 0) down = false;
      } else {
        inFlight.notices = [];
        goDown();
      }
      inFlight = undefined;
    },
    waiting: () => (dormant ? 0 : queue.length + unsent.reduce((sum, { events }) => sum + events.length, 0)),
    repartition(random) {
      const events = [...unsent.filter((one) => one !== inFlight).flatMap((one) => one.events), ...queue];
      unsent = unsent.filter((one) => one === inFlight);
      queue = [];
      for (const part of randomParts(events, MAX_EVENTS, random)) create(part);
    },
    restart({ loseQueued = true, killed = false }) {
      if (loseQueued) queue = [];
      notices = [];
      for (const transaction of unsent) transaction.notices = [];
      if (inFlight && killed && !down) {
        stranded = [...stranded, ...unsent];
        unsent = [];
      } else if (inFlight || down) {
        goDown();
        dormant = true;
      }
      inFlight = undefined;
      lastId = Math.max(0, ...[...stranded, ...unsent].map(({ id }) => id));
    },
  };
}
