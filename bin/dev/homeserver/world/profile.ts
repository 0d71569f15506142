/** Changing a name or a picture: every room the user is in is told by a member event. */
import { invalid } from './fault.ts';
import { announceProfile } from './members.ts';
import { membershipOf, type User, type WorldState } from './state.ts';

/** An empty name removes it. */
export function setDisplayName(world: WorldState, id: string, name: string): void {
  if (name.length > 256) throw invalid('Displayname is too long (max 256)');
  changeProfile(world, id, (user) => {
    user.displayName = name || undefined;
  });
}

/** An empty address removes it. */
export function setAvatarUrl(world: WorldState, id: string, url: string): void {
  changeProfile(world, id, (user) => {
    user.avatarUrl = url || undefined;
  });
}

function changeProfile(world: WorldState, id: string, change: (user: User) => void): void {
  const user = world.users.get(id) ?? { id, registered: false };
  world.users.set(id, user);
  change(user);
  for (const room of world.rooms.values())
    if (membershipOf(room, id) === 'join') announceProfile(world, room, id);
}
