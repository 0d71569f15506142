/**
 * 20,000 followers that attach around a turn's end, each at its own moment and from its own cursor, under virtual time:
 * how many do not end with the last event. And how long a stop takes to be the turn's end, at 99 of 100 moments.
 */

import { cancel } from '../../../functions/turns/cancel.ts';
import { attach } from '../../../functions/turns/follow.ts';
import { createPump } from '../../../functions/turns/pump.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../../dev/homeserver/virtual-clock.ts';
import { memoryTable } from '../../fakes/table.ts';
import { begun } from '../begun.ts';
import type { Bench } from '../bench.ts';
import { httpMeta } from '../meta.ts';
import { percentile } from '../statistics.ts';
import { tokens } from '../tokens.ts';

const FOLLOWERS = 20_000;
const PER_TURN = 100;
const STOPS = 200;
const WORDS = 60;
const EVERY_MS = 10;

export const tails: Bench = {
  figures: {
    lost_tails: { unit: '', target: '<= 0' },
    stop_p99_ms: { unit: 'ms', target: '<= 2000' },
  },
  async measure() {
    let lost = 0;
    for (let seed = 0; seed < FOLLOWERS / PER_TURN; seed++) lost += await lostAround(seed);
    const stops: number[] = [];
    for (let seed = 0; seed < STOPS; seed++) stops.push(await stopped(seed));
    return { lost_tails: lost, stop_p99_ms: percentile(stops, 99) };
  },
};

async function running(seed: number) {
  const clock = virtualClock();
  const random = seededRandom(seed);
  const turn = String(seed).padEnd(22, 'x');
  const latency = async <T>(_: unknown, effect: () => T): Promise<T> => {
    await clock.sleep(random.unit() * 10);
    const answer = effect();
    await clock.sleep(random.unit() * 10);
    return answer;
  };
  const table = memoryTable(latency);
  const deps = { table, clock, random };
  const made = begun(deps, turn, httpMeta(clock.now())).then((head) =>
    createPump({ ...deps, turn, head, queued: true }),
  );
  return { deps, turn, random, pump: await arrived(clock, made) };
}

async function lostAround(seed: number): Promise<number> {
  const { deps, turn, random, pump } = await running(seed);
  const { clock } = deps;
  const end = WORDS * EVERY_MS;
  const following = Array.from({ length: PER_TURN }, async () => {
    await clock.sleep(end - 200 + random.unit() * 500);
    const seq = Math.floor(random.unit() * 3);
    const attached = await attach({ ...deps, nudge: async () => {} }, turn, {
      after: { attempt: 1, seq },
      until: Number.POSITIVE_INFINITY,
    });
    if (attached.kind !== 'following') return false;
    for await (const line of attached.lines) if (line.type === 'turn_status') return true;
    return false;
  });
  const producing = (async () => {
    pump.emit({ type: 'start', messages: [turn] });
    await pump.flush();
    for (const text of tokens(WORDS)) {
      pump.emit({ type: 'text', part: 1, text });
      await clock.sleep(EVERY_MS);
    }
    await pump.close('complete', { id: 'm', role: 'assistant', content: '', createdAt: '' });
    await pump.stop();
  })();
  const [, ends] = await arrived(clock, Promise.all([producing, Promise.all(following)]));
  return ends.filter((ended) => !ended).length;
}

/** From a person's stop to the turn's end, while nothing is said: the owner learns of it by its next beat. */
async function stopped(seed: number): Promise<number> {
  const { deps, turn, random, pump } = await running(seed);
  const { clock } = deps;
  const stopping = (async () => {
    pump.emit({ type: 'start', messages: [turn] });
    await pump.flush();
    await clock.sleep(random.unit() * 3_000);
    const asked = clock.monotonic();
    await cancel(deps, turn, 'stopped');
    if (!pump.signal.aborted)
      await new Promise((resolve) => pump.signal.addEventListener('abort', resolve, { once: true }));
    await pump.close('cancelled', { id: 'm', role: 'assistant', content: '', createdAt: '' }, 'stopped');
    await pump.stop();
    return clock.monotonic() - asked;
  })();
  return arrived(clock, stopping);
}

/** Lets the time pass until the work is done. */
async function arrived<T>(clock: VirtualClock, work: Promise<T>): Promise<T> {
  let over = false;
  const done = work.finally(() => {
    over = true;
  });
  while (!over) await clock.advance(5);
  return done;
}
