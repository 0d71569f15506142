/**
 * People and rooms to begin with in development: alice, bob and carol, each with a direct room with the bot; the
 * group room `#lobby`, of room version 12, and `#old-hall`, of version 10, with all of them and the bot.
 * A world that has the lobby is left as it is.
 */

import type { Token } from './world/users.ts';
import type { World } from './world.ts';

const names = ['alice', 'bob', 'carol'] as const;
export type SeededName = (typeof names)[number];

export type Seeded = {
  readonly people: Readonly<Record<SeededName, Token>>;
  readonly lobby: string;
  readonly oldHall: string;
};

/** Needs a world with a service: its sender is the bot. The tokens are the same each time. */
export function seed(world: World): Seeded {
  const bot = world.service?.sender;
  if (bot === undefined) throw new TypeError('a world without a service has no bot');
  const lobby = `#lobby:${world.serverName}`;
  if (!world.hasAlias(lobby)) populate(world, bot);
  const token = (name: SeededName) => world.tokenOf(userId(world, name));
  return {
    people: { alice: token('alice'), bob: token('bob'), carol: token('carol') },
    lobby: world.resolveAlias(lobby),
    oldHall: world.resolveAlias(`#old-hall:${world.serverName}`),
  };
}

const userId = (world: World, name: SeededName) => `@${name}:${world.serverName}`;

function populate(world: World, bot: string): void {
  if (!world.isRegistered(bot)) world.register(world.service!.registration.sender_localpart, 'service');
  const people = names.map((name) => userId(world, name));
  for (const name of names) if (!world.isRegistered(userId(world, name))) world.register(name);

  const [host = '', ...guests] = people;
  const invite = [...guests, bot];
  for (const [name, room_version] of [
    ['lobby', '12'],
    ['old-hall', '10'],
  ] as const) {
    const room = world.createRoom(host, { name, room_alias_name: name, room_version, invite });
    for (const user of invite) world.join(user, room);
  }
  for (const person of people) {
    const room = world.createRoom(person, {
      preset: 'trusted_private_chat',
      is_direct: true,
      invite: [bot],
    });
    world.join(bot, room);
  }
}
