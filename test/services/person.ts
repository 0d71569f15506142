/** A person with an account on a real homeserver, who does what people do in their clients. */
import { ownKey } from '../../functions/matrix/own-key.ts';
import { until } from './until.ts';

export type Content = Readonly<Record<string, unknown>>;

export type Event = {
  readonly event_id: string;
  readonly type: string;
  readonly sender: string;
  readonly state_key?: string;
  readonly content: Content & { readonly body?: string; readonly msgtype?: string };
};

export type RoomOptions = {
  readonly preset?: 'private_chat' | 'public_chat';
  /** User ids, besides the bot. */
  readonly invite?: readonly string[];
  readonly version?: string;
  readonly state?: readonly {
    readonly type: string;
    readonly state_key: string;
    readonly content: Content;
  }[];
};

export type Person = Awaited<ReturnType<typeof register>>;
type Other = { readonly id: string; join(room: string): Promise<unknown> };

/** Makes an account. `bot` is who answers. */
export async function register(homeserver: string, name: string, bot: string) {
  const account = { username: name, password: 'secret', auth: { type: 'm.login.dummy' } };
  const { user_id: id, access_token: token } = (await call(homeserver, 'POST', 'register', account)) as {
    user_id: string;
    access_token: string;
  };
  let sent = 0;
  const api = (method: string, path: string, body?: object) => call(homeserver, method, path, body, token);
  const at = (room: string, path: string) => `rooms/${encodeURIComponent(room)}/${path}`;
  const idOf = (answer: unknown) => (answer as { event_id: string }).event_id;

  const send = async (room: string, type: string, content: Content) =>
    idOf(await api('PUT', at(room, `send/${type}/${name}.${sent++}`), content));
  const say = (room: string, body: string, more: Content = {}) =>
    send(room, 'm.room.message', { msgtype: 'm.text', body, 'm.mentions': {}, ...more });
  const membership = async (room: string, user: string) => {
    const { chunk } = (await api('GET', at(room, 'members'))) as { chunk: Event[] };
    return chunk.find(({ state_key }) => state_key === user)?.content.membership as string | undefined;
  };
  const events = async (room: string): Promise<Event[]> => {
    const { chunk } = (await api('GET', at(room, 'messages?dir=b&limit=200'))) as { chunk: Event[] };
    return chunk.reverse();
  };
  /** What the bot has said in the room, oldest first. */
  const heard = async (room: string) =>
    (await events(room)).filter(({ type, sender, content }) => {
      return type === 'm.room.message' && sender === bot && ownKey(content) !== undefined;
    });
  const createRoom = async ({ preset = 'private_chat', invite = [], version, state }: RoomOptions = {}) => {
    const answer = await api('POST', 'createRoom', {
      preset,
      invite: [bot, ...invite],
      ...(version !== undefined && { room_version: version }),
      ...(state && { initial_state: state }),
    });
    return (answer as { room_id: string }).room_id;
  };
  const botJoined = (room: string) =>
    until('the bot to join', async () => (await membership(room, bot)) === 'join');

  return {
    id,
    name,
    send,
    say,
    membership,
    events,
    heard,
    createRoom,
    botJoined,
    join: (room: string) => api('POST', `join/${encodeURIComponent(room)}`, {}),
    invite: (room: string, user: string) => api('POST', at(room, 'invite'), { user_id: user }),
    kick: (room: string, user: string) => api('POST', at(room, 'kick'), { user_id: user }),
    async upgrade(room: string, version: string): Promise<string> {
      const answer = await api('POST', at(room, 'upgrade'), { new_version: version });
      return (answer as { replacement_room: string }).replacement_room;
    },
    mention: (room: string, body: string, more: Content = {}) =>
      say(room, body, { 'm.mentions': { user_ids: [bot] }, ...more }),
    quote: (room: string, event: string, body: string) =>
      say(room, body, { 'm.relates_to': { 'm.in_reply_to': { event_id: event } } }),
    inThread: (room: string, root: string, body: string) =>
      say(room, body, {
        'm.relates_to': {
          rel_type: 'm.thread',
          event_id: root,
          is_falling_back: true,
          'm.in_reply_to': { event_id: root },
        },
      }),
    edit: (room: string, event: string, body: string) =>
      say(room, `* ${body}`, {
        'm.new_content': { msgtype: 'm.text', body, 'm.mentions': {} },
        'm.relates_to': { rel_type: 'm.replace', event_id: event },
      }),
    react: (room: string, event: string, key: string) =>
      send(room, 'm.reaction', { 'm.relates_to': { rel_type: 'm.annotation', event_id: event, key } }),
    redact: async (room: string, event: string) =>
      idOf(await api('PUT', at(room, `redact/${encodeURIComponent(event)}/${name}.${sent++}`), {})),
    /** A room with the bot alone, which is in it. */
    async directRoom(): Promise<string> {
      const room = await createRoom();
      await botJoined(room);
      return room;
    },
    /** A room with the bot and others, all of them in it. */
    async groupRoom(others: readonly Other[], options: RoomOptions = {}): Promise<string> {
      const room = await createRoom({ ...options, invite: others.map(({ id }) => id) });
      for (const other of others) await other.join(room);
      await botJoined(room);
      return room;
    },
    /** The bot's first message in the room that has these words. */
    hears: (room: string, words: string, deadlineMs?: number) =>
      until(
        `the bot to say “${words}”`,
        async () => (await heard(room)).find(({ content }) => content.body?.includes(words)),
        deadlineMs,
      ),
  };
}

async function call(
  homeserver: string,
  method: string,
  path: string,
  body?: object,
  token?: string,
): Promise<unknown> {
  const response = await fetch(`${homeserver}/_matrix/client/v3/${path}`, {
    method,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
  return answer;
}
