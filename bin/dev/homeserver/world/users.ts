/**
 * Users, their access tokens and their profiles. Like Synapse, a user of the service may act before it is
 * registered; but once it has a profile, registering it fails with 500 each time.
 */
import { forbidden, internal, invalid, notFound } from './fault.ts';
import type { WorldState } from './state.ts';

export const isUserId = (text: string): boolean => /^@[^:]*:./.test(text);

export type Token = { readonly user_id: string; readonly access_token: string; readonly device_id: string };

/** Registers a local user, for a person or for the service. Returns the user id; taken is 400 `M_USER_IN_USE`. */
export function register(world: WorldState, localpart: string, by: 'person' | 'service' = 'person'): string {
  const id = `@${localpart}:${world.serverName}`;
  if (!/^[a-z0-9=_\-./+]+$/.test(localpart))
    throw invalid("User ID can only contain characters a-z, 0-9, or '=_-./+'", 'M_INVALID_USERNAME');
  if (by === 'service' && !world.service?.isOurs(id))
    throw invalid('Invalid user localpart for this application service.', 'M_EXCLUSIVE');
  if (by === 'person' && world.service?.reservesUser(id))
    throw invalid('This user ID is reserved by an application service.', 'M_EXCLUSIVE');
  const known = world.users.get(id);
  if (known?.registered) throw invalid('User ID already taken.', 'M_USER_IN_USE');
  if (known) throw internal();
  world.users.set(id, { id, registered: true, displayName: localpart });
  return id;
}

/** A user of another server, who acts here as if federated. Known already: nothing happens. */
export function addRemoteUser(world: WorldState, id: string, displayName?: string): void {
  if (id.endsWith(`:${world.serverName}`)) throw invalid(`${id} is a local user`);
  if (!world.users.has(id)) world.users.set(id, { id, registered: true, displayName });
}

export function logIn(world: WorldState, user: string): Token {
  if (!world.users.get(user)?.registered) throw forbidden(`No user ${user}`);
  const token = { access_token: `syt_${world.random.id(32)}`, device_id: world.random.id(10).toUpperCase() };
  world.sessions.set(token.access_token, { user, device: token.device_id });
  return { user_id: user, ...token };
}

/** The oldest session of the user that is still open, or a new one. */
export function tokenOf(world: WorldState, user: string): Token {
  for (const [access_token, session] of world.sessions)
    if (session.user === user) return { user_id: user, access_token, device_id: session.device };
  return logIn(world, user);
}

export type Profile = { displayname?: string; avatar_url?: string };

export function profile(world: WorldState, id: string): Profile {
  const user = world.users.get(id);
  const content = profileContent(world, id);
  if (!user || Object.keys(content).length === 0) throw notFound('Profile was not found');
  return content;
}

/** What a member event says of the user. */
export function profileContent(world: WorldState, id: string): Profile {
  const { displayName, avatarUrl } = world.users.get(id) ?? {};
  return {
    ...(displayName === undefined ? {} : { displayname: displayName }),
    ...(avatarUrl === undefined ? {} : { avatar_url: avatarUrl }),
  };
}
