/** Rooms and membership in them: create, upgrade, join, leave, invite, kick, ban, and the directory of aliases. */
import { z } from 'zod';
import { invalid } from '../world/fault.ts';
import { presets } from '../world/presets.ts';
import type { World } from '../world.ts';
import { bodyOf, open, own, type Route } from './route.ts';
import type { ServiceQueries } from './service-queries.ts';

const content = z.record(z.string(), z.unknown());
const createRoom = z.object({
  preset: z.enum(presets).optional(),
  visibility: z.enum(['public', 'private']).optional(),
  is_direct: z.boolean().optional(),
  invite: z.array(z.string()).optional(),
  name: z.string().optional(),
  topic: z.string().optional(),
  room_version: z.string().optional(),
  room_alias_name: z.string().optional(),
  creation_content: content.optional(),
  initial_state: z
    .array(z.object({ type: z.string(), state_key: z.string().optional(), content }))
    .optional(),
  power_level_content_override: content.optional(),
});
const reasoned = z.object({ reason: z.string().optional() });
const targeted = reasoned.extend({ user_id: z.string() });

const client = '/_matrix/client/v3';

export function roomRoutes(world: World, ask: ServiceQueries): Route[] {
  const moderation = (action: 'kick' | 'ban' | 'unban') =>
    own('POST', `${client}/rooms/:room/${action}`, 'moderate', (request) => {
      const { user_id, reason } = bodyOf(request, targeted);
      world[action](request.requester.user, request.params.room!, user_id, reason);
      return { json: {} };
    });

  return [
    own('POST', `${client}/createRoom`, 'createRoom', (request) => ({
      json: { room_id: world.createRoom(request.requester.user, bodyOf(request, createRoom)) },
    })),
    own('POST', `${client}/rooms/:room/upgrade`, 'upgrade', (request) => {
      const { new_version } = bodyOf(request, z.object({ new_version: z.string() }));
      const { user } = request.requester;
      return { json: { replacement_room: world.upgrade(user, request.params.room!, new_version) } };
    }),

    own('POST', `${client}/join/:room`, 'join', async (request) => {
      const { reason } = bodyOf(request, reasoned);
      const named = request.params.room!;
      if (!/^[!#]./.test(named)) throw invalid(`${named} was not legal room ID or room alias`);
      const room_id = named.startsWith('#') ? await ask.alias(named, request.signal) : named;
      world.join(request.requester.user, room_id, reason);
      return { json: { room_id } };
    }),
    own('POST', `${client}/rooms/:room/join`, 'join', (request) => {
      const room_id = request.params.room!;
      world.join(request.requester.user, room_id, bodyOf(request, reasoned).reason);
      return { json: { room_id } };
    }),
    own('POST', `${client}/rooms/:room/leave`, 'leave', (request) => {
      world.leave(request.requester.user, request.params.room!, bodyOf(request, reasoned).reason);
      return { json: {} };
    }),
    own('POST', `${client}/rooms/:room/invite`, 'invite', async (request) => {
      const { user_id, reason } = bodyOf(request, targeted);
      await ask.user(user_id, request.signal);
      world.invite(request.requester.user, request.params.room!, user_id, reason);
      return { json: {} };
    }),
    moderation('kick'),
    moderation('ban'),
    moderation('unban'),

    own('GET', `${client}/joined_rooms`, 'joinedRooms', ({ requester }) => ({
      json: { joined_rooms: world.joinedRooms(requester.user) },
    })),
    open('GET', `${client}/directory/room/:alias`, 'resolveAlias', async ({ params, signal }) => ({
      json: { room_id: await ask.alias(params.alias!, signal), servers: [world.serverName] },
    })),
    own('GET', `${client}/rooms/:room/aliases`, 'resolveAlias', ({ requester, params }) => ({
      json: { aliases: world.aliases(requester.user, params.room!) },
    })),
    own('PUT', `${client}/directory/room/:alias`, 'setAlias', (request) => {
      const { room_id } = bodyOf(request, z.object({ room_id: z.string() }));
      world.setAlias(request.requester.user, request.params.alias!, room_id);
      return { json: {} };
    }),
    own('DELETE', `${client}/directory/room/:alias`, 'setAlias', ({ requester, params }) => {
      world.removeAlias(requester.user, params.alias!);
      return { json: {} };
    }),
  ];
}
