/**
 * The service asks to be called back, to see that it can be reached
 * (https://spec.matrix.org/v1.16/application-service-api/#pinging).
 */
import { z } from 'zod';
import type { Clock } from '../../../../functions/runtime/clock.ts';
import { isJson, type ServiceClient } from '../push/service-client.ts';
import { forbidden, MatrixFault } from '../world/fault.ts';
import type { World } from '../world.ts';
import { bodyOf, type OwnRequest, own, type Reply, type Route } from './route.ts';

export type PingOptions = {
  readonly world: World;
  readonly client: Pick<ServiceClient, 'ping'>;
  readonly clock: Clock;
  /** After a ping that was answered well. */
  readonly succeeded: () => void;
};

const ping = z.object({ transaction_id: z.string().optional() });

export function appserviceRoutes({ world, client, clock, succeeded }: PingOptions): Route[] {
  const answer = async (request: OwnRequest): Promise<Reply> => {
    if (!request.requester.isService)
      throw forbidden('Only application services can use the /appservice/ping endpoint');
    if (request.params.service !== world.service?.registration.id)
      throw forbidden('Mismatching application service ID in path');
    const begun = clock.monotonic();
    const outcome = await client.ping(bodyOf(request, ping).transaction_id ?? null, request.signal);
    if (outcome.kind === 'timeout')
      throw new MatrixFault(504, 'M_CONNECTION_TIMEOUT', 'The application service did not answer in time');
    if (outcome.kind === 'failed') throw new MatrixFault(502, 'M_CONNECTION_FAILED', outcome.reason);
    const { status, body } = outcome;
    if (status < 200 || status > 299)
      return {
        status: 502,
        json: { errcode: 'M_BAD_STATUS', error: `HTTP ${status}`, status, body },
      };
    if (!isJson(body)) throw new MatrixFault(502, 'M_CONNECTION_FAILED', 'The answer is not JSON');
    succeeded();
    return { json: { duration_ms: Math.round(clock.monotonic() - begun) } };
  };
  return [own('POST', '/_matrix/client/v1/appservice/:service/ping', 'ping', answer)];
}
