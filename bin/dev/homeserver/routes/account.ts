/** Versions, registration, who one is, profiles, OpenID. */
import { z } from 'zod';
import { forbidden, invalid, MatrixFault } from '../world/fault.ts';
import type { World } from '../world.ts';
import { bodyOf, type OwnRequest, open, own, type Reply, type Request, type Route } from './route.ts';

/** 1.1 to 1.15, as Synapse says. */
const VERSIONS = Array.from({ length: 15 }, (_, minor) => `v1.${minor + 1}`);

const registration = z.object({
  type: z.string().optional(),
  username: z.string().optional(),
  inhibit_login: z.boolean().default(false),
  auth: z.object({ type: z.string().optional() }).optional(),
});

export function accountRoutes(world: World): Route[] {
  const register = (request: Request): Reply => {
    const body = bodyOf(request, registration);
    const byService = body.type === 'm.login.application_service';
    if (byService && request.token !== world.service?.registration.as_token)
      throw new MatrixFault(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token');
    if (!byService && request.token !== undefined)
      throw invalid(
        'An access token should not be provided on requests to /register (except if type is m.login.application_service)',
      );
    if (!byService && body.auth?.type !== 'm.login.dummy')
      return {
        status: 401,
        json: { session: 'dummy', flows: [{ stages: ['m.login.dummy'] }], params: {} },
      };
    if (body.username === undefined) throw invalid("Missing params: ['username']", 'M_MISSING_PARAM');
    const user = world.register(body.username, byService ? 'service' : 'person');
    const token = body.inhibit_login ? { user_id: user } : world.logIn(user);
    return { json: { ...token, home_server: world.serverName } };
  };

  const self = ({ params, requester }: OwnRequest, refused: string): string => {
    if (params.user !== requester.user) throw invalid(refused, 'M_FORBIDDEN');
    return params.user;
  };

  return [
    open('GET', '/_matrix/client/versions', 'versions', () => ({
      json: { versions: VERSIONS, unstable_features: {} },
    })),
    open('POST', '/_matrix/client/v3/register', 'register', register),
    own('GET', '/_matrix/client/v3/account/whoami', 'whoami', ({ requester: { user, device } }) => ({
      json: { user_id: user, is_guest: false, ...(device === undefined ? {} : { device_id: device }) },
    })),

    open('GET', '/_matrix/client/v3/profile/:user', 'profile', ({ params }) => ({
      json: world.profile(params.user!),
    })),
    open('GET', '/_matrix/client/v3/profile/:user/:field', 'profile', ({ params }) => {
      const { user, field } = params;
      const profile = world.profile(user!);
      if (field === 'displayname') return { json: { displayname: profile.displayname } };
      if (field === 'avatar_url') return { json: { avatar_url: profile.avatar_url } };
      throw new MatrixFault(404, 'M_NOT_FOUND', `No such field: ${field}`);
    }),
    own('PUT', '/_matrix/client/v3/profile/:user/displayname', 'setProfile', (request) => {
      const user = self(request, "Cannot set another user's displayname");
      world.setDisplayName(user, bodyOf(request, z.object({ displayname: z.string() })).displayname);
      return { json: {} };
    }),
    own('PUT', '/_matrix/client/v3/profile/:user/avatar_url', 'setProfile', (request) => {
      const user = self(request, "Cannot set another user's avatar_url");
      world.setAvatarUrl(user, bodyOf(request, z.object({ avatar_url: z.string() })).avatar_url);
      return { json: {} };
    }),

    own('POST', '/_matrix/client/v3/user/:user/openid/request_token', 'openId', ({ params, requester }) => {
      if (params.user !== requester.user) throw forbidden('Cannot request tokens for other users.');
      return { json: world.requestOpenIdToken(requester.user) };
    }),
    open('GET', '/_matrix/federation/v1/openid/userinfo', 'openId', ({ query }) => {
      const token = query.get('access_token');
      if (token === null) throw new MatrixFault(401, 'M_MISSING_TOKEN', 'Access Token required');
      return { json: { sub: world.openIdUser(token) } };
    }),
  ];
}
