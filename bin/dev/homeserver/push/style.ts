/**
 * How a homeserver hands events to a service. The two styles differ in what a transaction is, above all when it
 * is repeated. An outbox is that rule alone, without HTTP, time or waiting, so that a test under virtual time can
 * deliver transactions by itself: `take` what concerns the service, then `next`, deliver, `settle`, and again.
 */
import type { Random } from '../../../../functions/runtime/clock.ts';
import type { Json } from '../world/client-event.ts';
import type { StoredEvent } from '../world/event.ts';
import type { Ephemeral } from '../world/state.ts';
import type { World } from '../world.ts';

export type TransactionBody = { readonly events: readonly Json[] } & Json;

export type Delivery = {
  /** The transaction id, for the path. */
  readonly id: string;
  readonly body: TransactionBody;
  /** Whether it belongs to the backlog of a service that is DOWN. */
  readonly isBacklog: boolean;
};

export type RestartOptions = {
  /** Events queued behind the one in flight are lost, as Synapse loses them. Default true. */
  readonly loseQueued?: boolean;
  /** Killed instead of stopped: what was in flight stays behind, unsent, while newer events go out. */
  readonly killed?: boolean;
};

export type Outbox = {
  take(event: StoredEvent): void;
  takeEphemeral(notice: Ephemeral): void;
  /**
   * The transaction to send now, its body built from the world as it is now; undefined when there is none. It
   * counts as in flight until `settle`; asked again before that, it is the same transaction.
   */
  next(): Delivery | undefined;
  settle(delivered: boolean): void;
  /** Events that it will hand out without further news, those in flight included. */
  waiting(): number;
  /** Cuts all that waits and is not in flight into other transactions, in the same order. */
  repartition(random: Random): void;
  restart(options: RestartOptions): void;
};

export type OutboxOptions = {
  readonly world: World;
  /** Draws what a homeserver leaves to chance. */
  readonly random: Random;
  /** Wall clock, ms. */
  readonly now: () => number;
};

export type Style = {
  outbox(options: OutboxOptions): Outbox;
  /** Whether an answer means "delivered"; anything else is tried again. */
  accepts(status: number, body: string): boolean;
  /** The pause after the nth failure in a row (n ≥ 1), in s. */
  pause(failures: number): number;
  readonly pingEndsPause: boolean;
};
