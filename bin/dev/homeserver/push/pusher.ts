/**
 * Delivers an outbox: one transaction in flight, a pause after each failure that grows with the failures in a row,
 * none after a success. It runs until it is stopped; `stop` breaks off what is in flight.
 */
import type { Clock, Random } from '../../../../functions/runtime/clock.ts';
import { notFound } from '../world/fault.ts';
import type { World } from '../world.ts';
import { type EchoTreatment, feed } from './feed.ts';
import type { ServiceClient } from './service-client.ts';
import type { Outbox, RestartOptions, Style } from './style.ts';

export type PusherOptions = {
  readonly world: World;
  readonly style: Style;
  readonly client: Pick<ServiceClient, 'transaction'>;
  readonly clock: Clock;
  readonly random: Random;
  /** Pauses are multiplied by it. */
  readonly backoffScale: number;
};

export type Pusher = {
  /** Nothing more is sent; what is in flight may end. */
  pause(): void;
  resume(): void;
  /** Nothing is sent while the homeserver itself is down, paused or not. */
  setReachable(reachable: boolean): void;
  /** Ends the pause after a failure, as a successful ping does. */
  retryNow(): void;
  /** As if the homeserver were started anew; what is in flight is broken off. */
  restart(options?: RestartOptions): void;
  /** Puts an event that was delivered or waits into a further transaction; an unknown one is a `MatrixFault`. */
  redeliver(roomId: string, eventId: string): void;
  repartition(random: Random): void;
  treatEchoes(treatment: EchoTreatment): void;
  /**
   * When nothing is left that goes out by itself: held echoes and what a restart left behind do not count, delayed
   * echoes do. It waits out every pause.
   */
  idle(): Promise<void>;
  stop(): Promise<void>;
};

export function startPusher(options: PusherOptions): Pusher {
  const { world, style, client, clock, random, backoffScale } = options;
  const outbox: Outbox = style.outbox({ world, random, now: () => clock.now() });
  const stopping = new AbortController();
  let paused = false;
  let reachable = true;
  let failures = 0;
  let restarts = 0;
  /** A backlog found after a restart is not tried before the shortest pause. */
  let mustRest = false;
  let flight = new AbortController();
  let rest = new AbortController();
  let news = Promise.withResolvers<void>();
  const waiters: (() => void)[] = [];

  const wake = () => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const source = feed(world, outbox, clock, wake);
  const isIdle = () => outbox.waiting() === 0 && source.delayed() === 0;
  const sleep = async () => {
    rest = new AbortController();
    const ms = style.pause(Math.max(1, failures)) * 1_000 * backoffScale;
    await clock.sleep(ms, AbortSignal.any([rest.signal, stopping.signal]));
  };

  const step = async (): Promise<void> => {
    const delivery = paused || !reachable ? undefined : outbox.next();
    if (!delivery) {
      if (isIdle()) for (const done of waiters.splice(0)) done();
      return news.promise;
    }
    if (mustRest) {
      mustRest = false;
      if (delivery.isBacklog) return sleep();
    }
    flight = new AbortController();
    const restartsBefore = restarts;
    const signal = AbortSignal.any([flight.signal, stopping.signal]);
    const answer = await client.transaction(delivery.id, delivery.body, signal);
    if (restarts !== restartsBefore || stopping.signal.aborted) return;
    const delivered = answer.kind === 'answered' && style.accepts(answer.status, answer.body);
    outbox.settle(delivered);
    failures = delivered ? 0 : failures + 1;
    if (!delivered) await sleep();
  };
  const run = async () => {
    while (!stopping.signal.aborted) await step();
  };
  const running = run();

  return {
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      wake();
    },
    setReachable(now) {
      reachable = now;
      wake();
    },
    retryNow: () => rest.abort(),
    restart(how = {}) {
      restarts++;
      failures = 0;
      mustRest = true;
      outbox.restart(how);
      flight.abort();
      rest.abort();
      wake();
    },
    redeliver(roomId, eventId) {
      const event = world.timeline(roomId).find(({ id }) => id === eventId);
      if (!event) throw notFound(`No event ${eventId} in ${roomId}`);
      outbox.take(event);
      wake();
    },
    repartition(drawn) {
      outbox.repartition(drawn);
      wake();
    },
    treatEchoes: (treatment) => source.treatEchoes(treatment),
    idle: () =>
      new Promise((resolve) => {
        waiters.push(resolve);
        wake();
      }),
    async stop() {
      stopping.abort();
      wake();
      await Promise.all([running, source.stop()]);
      for (const done of waiters.splice(0)) done();
    },
  };
}
