/**
 * Who a call comes from: the token in the `Authorization` header or, as of old, in the query. The service acts as
 * its sender, or with `?user_id=` as a registered user of its namespace; the transaction ids of all of them are one
 * space (https://spec.matrix.org/v1.16/application-service-api/#identity-assertion).
 */
import type { Requester } from './routes/route.ts';
import { forbidden, MatrixFault } from './world/fault.ts';
import type { World } from './world.ts';

export function tokenIn(authorization: string | undefined, query: URLSearchParams): string | undefined {
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return bearer ?? query.get('access_token') ?? undefined;
}

/** Throws 401 for no token or an unknown one, 403 for somebody the service may not act as. */
export function authenticate(world: World, token: string | undefined, query: URLSearchParams): Requester {
  if (token === undefined) throw new MatrixFault(401, 'M_MISSING_TOKEN', 'Missing access token');
  const { service } = world;
  if (service && token === service.registration.as_token) {
    const user = query.get('user_id') ?? service.sender;
    if (!service.isOurs(user))
      throw forbidden(`Application service cannot masquerade as this user (${user}).`);
    if (user !== service.sender && !world.isRegistered(user))
      throw forbidden(`Application service has not registered this user (${user})`);
    return { user, owner: 'service', device: undefined, isService: true };
  }
  const session = world.session(token);
  if (!session) throw new MatrixFault(401, 'M_UNKNOWN_TOKEN', 'Invalid access token passed.');
  return { user: session.user, owner: token, device: session.device, isService: false };
}
