/**
 * OpenID tokens: a user's proof of who he is towards a third party, which asks the homeserver about it
 * (https://spec.matrix.org/v1.16/client-server-api/#openid). A token is good for an hour.
 */
import { MatrixFault } from './fault.ts';
import type { WorldState } from './state.ts';

const LIFETIME_S = 3_600;

export type OpenIdToken = {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly matrix_server_name: string;
  readonly expires_in: number;
};

export function requestOpenIdToken(world: WorldState, user: string): OpenIdToken {
  const now = world.clock.now();
  for (const [token, { until }] of world.openIdTokens) if (until <= now) world.openIdTokens.delete(token);
  const access_token = world.random.id(24);
  world.openIdTokens.set(access_token, { user, until: now + LIFETIME_S * 1_000 });
  return {
    access_token,
    token_type: 'Bearer',
    matrix_server_name: world.serverName,
    expires_in: LIFETIME_S,
  };
}

/** Whose token it is; unknown or expired is 401 `M_UNKNOWN_TOKEN`. */
export function openIdUser(world: WorldState, token: string): string {
  const known = world.openIdTokens.get(token);
  if (!known || known.until <= world.clock.now())
    throw new MatrixFault(401, 'M_UNKNOWN_TOKEN', 'Access Token unknown or expired');
  return known.user;
}
