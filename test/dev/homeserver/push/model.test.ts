/**
 * Any schedule of talk, tries, restarts and new partitions, under both styles: a service that keeps the events it
 * has acknowledged ends with each of them, and first sees them in the order of the room.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dendrite } from '../../../../bin/dev/homeserver/push/dendrite.ts';
import { synapse } from '../../../../bin/dev/homeserver/push/synapse.ts';
import { alice, bot, roomOf, say, smallWorld } from '../small-world.ts';
import { seededRandom } from '../virtual-clock.ts';

const step = fc.oneof(
  { weight: 4, arbitrary: fc.constant('say' as const) },
  { weight: 2, arbitrary: fc.constant('redact' as const) },
  { weight: 3, arbitrary: fc.constant('succeed' as const) },
  { weight: 3, arbitrary: fc.constant('fail' as const) },
  { weight: 1, arbitrary: fc.constant('crash' as const) },
  { weight: 1, arbitrary: fc.constant('repartition' as const) },
  { weight: 1, arbitrary: fc.constant('redeliver' as const) },
);

describe.each([
  ['synapse', synapse],
  ['dendrite', dendrite],
])('the outbox of %s', (_, style) => {
  it('delivers every event that concerns the service, in order of first sight', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 1e6 }), (steps, seed) => {
        const { world, clock } = smallWorld({}, seed);
        const room = roomOf(world, [bot]);
        const random = seededRandom(seed);
        const outbox = style.outbox({ world, random, now: () => clock.now() });
        const wanted: string[] = [];
        world.onEvent((event) => {
          wanted.push(event.id);
          outbox.take(event);
        });
        const seen: string[] = [];
        const tryOnce = (outcome: 'delivered' | 'failed' | 'crashed') => {
          const delivery = outbox.next();
          if (!delivery) return;
          const ids = delivery.body.events.map(({ event_id }) => event_id as string);
          // A try that failed may have been read all the same.
          if (outcome !== 'failed') for (const id of ids) if (!seen.includes(id)) seen.push(id);
          if (outcome === 'crashed') outbox.restart({ loseQueued: false });
          else outbox.settle(outcome === 'delivered');
        };
        for (const one of steps) {
          if (one === 'say') say(world, alice, room, 'x');
          else if (one === 'redact') world.redact(alice, room, wanted.at(-1) ?? '$none');
          else if (one === 'succeed') tryOnce('delivered');
          else if (one === 'fail') tryOnce('failed');
          else if (one === 'crash') tryOnce('crashed');
          else if (one === 'repartition') outbox.repartition(random);
          else if (wanted.length > 0) outbox.take(world.event(bot, room, wanted[0]!));
        }
        say(world, alice, room, 'last');
        for (let tries = 0; outbox.waiting() > 0; tries++) {
          expect(tries).toBeLessThan(500);
          tryOnce('delivered');
        }
        expect(seen).toEqual(wanted);
      }),
      { numRuns: 300, seed: 20_261_130 },
    );
  });
});
