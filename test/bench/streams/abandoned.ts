/**
 * What a follower costs that went away, since nobody tells the function: reads until its 55 s are over, of a turn that
 * streams all the time and of one that is silent. Under virtual time, so the same on every machine.
 */
import { BEGINNING } from '../../../functions/turns/cursor.ts';
import { attach } from '../../../functions/turns/follow.ts';
import { createPump } from '../../../functions/turns/pump.ts';
import { seededRandom, virtualClock } from '../../dev/homeserver/virtual-clock.ts';
import { memoryTable } from '../../fakes/table.ts';
import { begun } from '../begun.ts';
import type { Bench } from '../bench.ts';
import { httpMeta } from '../meta.ts';
import { tokens } from '../tokens.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
const CONNECTION_MS = 55_000;
const EVERY_MS = 10;

export const abandoned: Bench = {
  figures: {
    reads_abandoned_streaming: { unit: 'reads' },
    reads_abandoned_silent: { unit: 'reads' },
  },
  measure: async () => ({
    reads_abandoned_streaming: await readsOf(true),
    reads_abandoned_silent: await readsOf(false),
  }),
};

async function readsOf(streams: boolean): Promise<number> {
  const clock = virtualClock();
  let reads = 0;
  const table = memoryTable(async ({ kind }, effect) => {
    if (kind === 'get' || kind === 'query') reads++;
    return effect();
  });
  const deps = { table, clock, random: seededRandom() };
  const head = await begun(deps, TURN, httpMeta(clock.now()));
  const pump = createPump({ ...deps, turn: TURN, head, queued: true });
  pump.emit({ type: 'start', messages: [TURN] });
  await pump.flush();
  reads = 0;
  const attached = await attach({ ...deps, nudge: async () => {} }, TURN, {
    after: BEGINNING,
    until: clock.monotonic() + CONNECTION_MS,
  });
  if (attached.kind !== 'following') throw new Error(attached.kind);
  let over = false;
  const following = (async () => {
    for await (const _ of attached.lines);
    over = true;
  })();
  for (const text of tokens(CONNECTION_MS / EVERY_MS + 100)) {
    if (over) break;
    if (streams) pump.emit({ type: 'text', part: 1, text });
    await clock.advance(EVERY_MS);
  }
  await following;
  const counted = reads;
  const stopped = pump.stop();
  await clock.advance(2_000);
  await stopped;
  return counted;
}
