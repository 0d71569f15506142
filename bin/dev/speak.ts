/** Speaks as a person of the stand-in homeserver, the way a client would: with mentions, in a thread, as a quote-reply. */
import * as z from 'zod/mini';
import { BOT } from './folder.ts';
import { MatrixFault } from './homeserver/world/fault.ts';
import type { World } from './homeserver/world.ts';

const shape = z.object({
  as: z._default(z.string().check(z.regex(/^[a-z0-9._-]+$/)), 'alice'),
  /** A room's alias without its sign and server, `dm`, or a room id. */
  room: z._default(z.string(), 'dm'),
  text: z.string().check(z.minLength(1)),
  thread: z.optional(z.string()),
  replyTo: z.optional(z.string()),
});

export type Say = z.infer<typeof shape>;

export class BadSay extends Error {
  override readonly name = 'BadSay';
}

export function parseSay(body: unknown): Say {
  const read = shape.safeParse(body);
  if (read.success) return read.data;
  throw new BadSay(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}

export function speak(world: World, server: string, say: Say): { room: string; event: string } {
  const user = `@${say.as}:${server}`;
  if (!world.isRegistered(user))
    throw new BadSay(`there is nobody called ${say.as}; try alice, bob or carol`);
  const room = roomOf(world, server, user, say.room);
  const bot = `@${BOT.localpart}:${server}`;
  const mentioned = new RegExp(`(^|\\s)@${BOT.localpart}\\b`).test(say.text);
  const inReplyTo = say.replyTo !== undefined && { 'm.in_reply_to': { event_id: say.replyTo } };
  const relation =
    say.thread !== undefined ? { rel_type: 'm.thread', event_id: say.thread, ...inReplyTo } : inReplyTo;
  const content = {
    msgtype: 'm.text',
    body: say.text,
    'm.mentions': mentioned ? { user_ids: [bot] } : {},
    ...(relation && { 'm.relates_to': relation }),
  };
  return { room, event: world.send(user, room, 'm.room.message', content) };
}

function roomOf(world: World, server: string, user: string, name: string): string {
  if (name.startsWith('!')) return name;
  if (name !== 'dm') {
    const alias = `#${name}:${server}`;
    if (!world.hasAlias(alias)) throw new BadSay(`there is no room ${alias}; try lobby, old-hall or dm`);
    return world.resolveAlias(alias);
  }
  const direct = world.roomIds().find((room) => membersIn(world, user, room).length === 2);
  if (direct === undefined) throw new BadSay(`${user} has no direct room with the bot`);
  return direct;
}

/** The members of a room as that person sees it; none, if they are not in it. */
function membersIn(world: World, user: string, room: string): string[] {
  try {
    return Object.keys(world.joinedMembers(user, room));
  } catch (error) {
    if (error instanceof MatrixFault) return [];
    throw error;
  }
}
