/**
 * The stand-in homeserver, whole: a world, its API on 127.0.0.1, and the pusher that delivers to the application
 * service. It behaves as Synapse does where an application service can tell, and pushes as Dendrite on request; it
 * does not federate, encrypt, or keep anything on disk by itself (`world.toJSON()` is what to keep).
 */
import type { Clock, Random } from '../../../functions/runtime/clock.ts';
import { createFaults, type Faults } from './faults.ts';
import { createHandler, listen } from './http.ts';
import { dendrite } from './push/dendrite.ts';
import { type Pusher, startPusher } from './push/pusher.ts';
import { serviceClient } from './push/service-client.ts';
import { synapse } from './push/synapse.ts';
import { accountRoutes } from './routes/account.ts';
import { appserviceRoutes } from './routes/appservice.ts';
import { devRoutes } from './routes/dev.ts';
import { eventRoutes } from './routes/events.ts';
import { mediaRoutes } from './routes/media.ts';
import { roomRoutes } from './routes/rooms.ts';
import { serviceQueries } from './routes/service-queries.ts';
import { syncRoutes } from './routes/sync.ts';
import type { Registration } from './world/namespaces.ts';
import type { WorldSnapshot } from './world/snapshot.ts';
import { createWorld, type World } from './world.ts';

export type HomeserverOptions = {
  readonly serverName: string;
  readonly registration: Registration;
  /** A free one by default. */
  readonly port?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly style?: 'synapse' | 'dendrite';
  /** The rooms of an earlier run. */
  readonly snapshot?: WorldSnapshot | undefined;
  /** Pauses after failed pushes are multiplied by it; default 1. */
  readonly backoffScale?: number;
  /** How long an answer of the service is waited for, up to its headers; default 60,000. */
  readonly giveUpAfterMs?: number;
  /** Pushes carry the token in the query too, as some homeservers always do. */
  readonly legacyQueryToken?: boolean;
  readonly maxUploadBytes?: number;
  /** Told of errors inside; by default they go to stderr. */
  readonly report?: (error: unknown) => void;
};

export type Homeserver = {
  readonly url: string;
  readonly world: World;
  readonly faults: Faults;
  readonly pusher: Pusher;
  /** Ends every connection and what is being pushed; what waits to be pushed is lost. */
  stop(): Promise<void>;
};

export async function startHomeserver(options: HomeserverOptions): Promise<Homeserver> {
  const { serverName, registration, clock, random, snapshot, maxUploadBytes = 10_485_760 } = options;
  const world = createWorld({ serverName, registration, clock, random, snapshot });
  const client = serviceClient({
    registration,
    clock,
    giveUpAfterMs: options.giveUpAfterMs ?? 60_000,
    legacyQueryToken: options.legacyQueryToken ?? false,
  });
  const style = options.style === 'dendrite' ? dendrite : synapse;
  const backoffScale = options.backoffScale ?? 1;
  const pusher = startPusher({ world, style, client, clock, random, backoffScale });
  const faults = createFaults({ world, pusher, random, disconnect: () => handler.disconnect() });
  const succeeded = () => {
    if (style.pingEndsPause) pusher.retryNow();
  };
  const routes = [
    ...accountRoutes(world),
    ...roomRoutes(world, serviceQueries(world, client)),
    ...eventRoutes(world),
    ...syncRoutes(world, clock),
    ...mediaRoutes(world, maxUploadBytes),
    ...appserviceRoutes({ world, client, clock, succeeded }),
    ...devRoutes(faults),
  ];
  const report = options.report ?? console.error;
  const handler = createHandler({ world, routes, faults, maxUploadBytes, report });
  const server = await listen(handler, options.port ?? 0).catch(async (error) => {
    await pusher.stop();
    throw error;
  });
  return {
    url: server.url,
    world,
    faults,
    pusher,
    async stop() {
      await Promise.all([server.stop(), pusher.stop()]);
    },
  };
}
