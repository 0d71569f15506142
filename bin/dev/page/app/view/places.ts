/** Where a person can go: what each place is called, what to try there, and how it is opened. */
import { createClient } from '../../../../../functions/client/client.ts';
import type { Person, Room } from '../../shown.ts';
import type { Place } from '../model/address.ts';
import { openChat } from '../model/chat.ts';
import type { Conversation } from '../model/conversation.ts';
import type { ReplyDeps } from '../model/reply.ts';
import { openRoom } from '../model/room.ts';
import { sessionOf } from '../model/session.ts';
import { nameOf } from '../model/words.ts';

/** The one conversation over HTTP that the page offers. */
export const CHAT: Place = { kind: 'chat', name: 'direct-chat' };

export type PlaceView = {
  readonly title: string;
  readonly about: string;
  /** Words to try here. */
  readonly tries: readonly string[];
  /** `turn` is shown in any case. */
  open(turn: string | undefined): Conversation;
};

const DIRECT_TRIES = ['hello', 'write 300 words', 'count to 20', 'ask me first: shall we?', 'fail'];
const GROUP_TRIES = ['@agent hello', 'nice weather', '@agent count to 20', '@agent ask me first: shall we?'];

export function viewOf(place: Place, { name: as, user }: Person, rooms: readonly Room[]): PlaceView {
  const deps = depsOf(as);
  if (place.kind === 'chat')
    return {
      title: CHAT_TITLE,
      about: 'POST /turns, as an app does: no room, no gate',
      tries: DIRECT_TRIES,
      open: (turn) => openChat(deps, { as, user, name: place.name, turn }),
    };
  const room = rooms.find(({ id }) => id === place.id);
  const others = room?.members.filter((one) => one !== user).map(nameOf) ?? [];
  return {
    title: room ? titleOf(room) : 'Room',
    about: room?.kind === 'group' ? `Group room with ${others.join(', ')}` : 'Direct room in Matrix',
    tries: room?.kind === 'group' ? GROUP_TRIES : DIRECT_TRIES,
    open: (turn) => openRoom(deps, { as, user, room: place.id, turn }),
  };
}

export const CHAT_TITLE = 'Chat over HTTP';
export const titleOf = ({ kind, name }: Room): string => (kind === 'direct' ? 'Agent' : name);

/** One session serves all places of its person. */
const known = new Map<string, ReplyDeps>();

function depsOf(as: string): ReplyDeps {
  const before = known.get(as);
  if (before) return before;
  const token = sessionOf(as);
  const deps = { token, client: createClient({ url: '', token }) };
  known.set(as, deps);
  return deps;
}
