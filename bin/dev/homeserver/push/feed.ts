/**
 * From the world into the outbox: each event that concerns the service, in order, and notices of its rooms. The
 * service's own events, the echoes, can be dropped, held or delayed; the others pass them meanwhile.
 */
import type { Clock } from '../../../../functions/runtime/clock.ts';
import type { StoredEvent } from '../world/event.ts';
import type { World } from '../world.ts';
import type { Outbox } from './style.ts';

export type EchoTreatment =
  | { readonly mode: 'pass' }
  | { readonly mode: 'drop' }
  /** Until another treatment is set. */
  | { readonly mode: 'hold' }
  | { readonly mode: 'delay'; readonly ms: number };

export type Feed = {
  /** What was held so far is let go. */
  treatEchoes(treatment: EchoTreatment): void;
  /** Echoes that will come by themselves; at the latest when it stops. */
  delayed(): number;
  stop(): Promise<void>;
};

export function feed(world: World, outbox: Outbox, clock: Clock, arrived: () => void): Feed {
  let treatment: EchoTreatment = { mode: 'pass' };
  let held: StoredEvent[] = [];
  const delays = new Set<Promise<void>>();
  const stopping = new AbortController();

  const take = (event: StoredEvent) => {
    outbox.take(event);
    arrived();
  };
  const takeLater = async (event: StoredEvent, ms: number) => {
    await clock.sleep(ms, stopping.signal);
    take(event);
  };
  const receive = (event: StoredEvent) => {
    if (!world.concernsService(event)) return;
    const mode = world.service?.isOurs(event.sender) ? treatment.mode : 'pass';
    if (mode === 'hold') held.push(event);
    else if (mode === 'pass') take(event);
    else if (treatment.mode === 'delay') {
      const delay = takeLater(event, treatment.ms).finally(() => delays.delete(delay));
      delays.add(delay);
    }
  };

  const stops = [
    world.onEvent(receive),
    world.onEphemeral((notice) => {
      if (!world.roomConcernsService(notice.room_id)) return;
      outbox.takeEphemeral(notice);
      arrived();
    }),
  ];
  return {
    treatEchoes(next) {
      treatment = next;
      const released = held;
      held = [];
      for (const event of released) take(event);
    },
    delayed: () => delays.size,
    async stop() {
      for (const stop of stops) stop();
      stopping.abort();
      await Promise.all(delays);
    },
  };
}
