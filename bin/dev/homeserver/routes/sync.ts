/**
 * `/sync` for people: answers at once if there is anything new, else when there is or when the time asked for is
 * over. Users of the service get 500, as from Synapse.
 */
import { z } from 'zod';
import type { Clock } from '../../../../functions/runtime/clock.ts';
import { internal } from '../world/fault.ts';
import type { World } from '../world.ts';
import { jsonQuery, numberQuery, type OwnRequest, own, type Reply, type Route } from './route.ts';

const filter = z.object({
  room: z.object({ timeline: z.object({ limit: z.int().min(0).optional() }).optional() }).optional(),
});

export function syncRoutes(world: World, clock: Clock): Route[] {
  const answer = async (request: OwnRequest): Promise<Reply> => {
    const { requester, query } = request;
    if (world.service?.isOurs(requester.user)) throw internal();
    const given = query.get('filter');
    const limit = given?.startsWith('{')
      ? jsonQuery(request, 'filter', filter)?.room?.timeline?.limit
      : undefined;
    const options = { since: query.get('since') ?? undefined, limit };
    const timeout = numberQuery(request, 'timeout') ?? 0;

    const over = new AbortController();
    const until = AbortSignal.any([over.signal, request.signal]);
    let changed = Promise.withResolvers<void>();
    const wake = () => changed.resolve();
    const stops = [world.onEvent(wake), world.onEphemeral(wake)];
    const patience = clock.sleep(timeout, until).then(() => {
      over.abort();
      wake();
    });
    try {
      for (;;) {
        const { news, answer } = world.sync(requester, options);
        if (news || until.aborted || timeout === 0) return { json: answer };
        await changed.promise;
        changed = Promise.withResolvers();
      }
    } finally {
      for (const stop of stops) stop();
      over.abort();
      await patience;
    }
  };
  return [own('GET', '/_matrix/client/v3/sync', 'sync', answer)];
}
