/**
 * What a homeserver asks the service before it gives up: an unknown alias of its namespace, or an unregistered user
 * of it who is invited. The service may create it meanwhile; its answer counts for nothing else.
 */
import type { ServiceClient } from '../push/service-client.ts';
import type { World } from '../world.ts';

export type ServiceQueries = {
  /** The room an alias names; 404 if it names none after the service was asked. */
  alias(alias: string, signal: AbortSignal): Promise<string>;
  user(user: string, signal: AbortSignal): Promise<void>;
};

export function serviceQueries(world: World, client: Pick<ServiceClient, 'query'>): ServiceQueries {
  const { service } = world;
  return {
    async alias(alias, signal) {
      if (service?.isOurAlias(alias) && !world.hasAlias(alias)) await client.query('rooms', alias, signal);
      return world.resolveAlias(alias);
    },
    async user(user, signal) {
      if (service?.isOurs(user) && user !== service.sender && !world.isRegistered(user))
        await client.query('users', user, signal);
    },
  };
}
