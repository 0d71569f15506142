/** Who is there and what the bot has said to them: a homeserver with three people and the bot, and its posts. */
import { createWorld, type World } from '../../bin/dev/homeserver/world.ts';
import { ownKey } from '../../functions/matrix/own-key.ts';
import type { Clock } from '../../functions/runtime/clock.ts';
import { seededRandom } from '../dev/homeserver/virtual-clock.ts';

export const BOT = '@bot:hs';
export const ANA = '@ana:hs';
export const BEN = '@ben:hs';
export const CEM = '@cem:hs';
export const MENTION = { 'm.mentions': { user_ids: [BOT] } };

const registration = {
  id: 'turnpike',
  url: 'http://127.0.0.1:1',
  as_token: 'as',
  hs_token: 'hs',
  sender_localpart: 'bot',
  namespaces: {
    users: [
      { exclusive: true, regex: '@bot:hs' },
      { exclusive: true, regex: '@bot_.*:hs' },
    ],
    aliases: [{ exclusive: true, regex: '#bot_.*:hs' }],
    rooms: [],
  },
};

export function roomsOf(clock: Pick<Clock, 'now'>): World {
  const rooms = createWorld({ serverName: 'hs', registration, clock, random: seededRandom(2) });
  for (const name of ['ana', 'ben', 'cem']) rooms.register(name);
  rooms.register('bot', 'service');
  return rooms;
}

/** A message of the bot's, as it stands in the room. */
export type Post = {
  readonly id: string;
  readonly turn: string;
  readonly part: string;
  readonly body: string;
  readonly msgtype: string;
  readonly content: Readonly<Record<string, unknown>>;
};

/** What the bot has said in a room, in order, edits and what was taken back included. */
export function postsOf(rooms: World, room: string): Post[] {
  return rooms.timeline(room).flatMap(({ id, sender, type, content }) => {
    if (sender !== BOT || type !== 'm.room.message') return [];
    const { turn = '', part = '' } = ownKey(content) ?? {};
    return [
      { id, turn, part, body: String(content.body ?? ''), msgtype: String(content.msgtype ?? ''), content },
    ];
  });
}
