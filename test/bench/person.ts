/** A person on any homeserver, by its client API alone: sends, and reads `/sync` as a client does. */

type Event = { readonly type: string; readonly sender: string };
type Synced = {
  readonly next_batch: string;
  readonly rooms?: { readonly join?: Readonly<Record<string, { timeline?: { events: Event[] } }>> };
};

/** When an answer of `/sync` that holds a reply began to arrive, and when all of it was there. */
export type Heard = { readonly first: number; readonly last: number };

export type Person = Awaited<ReturnType<typeof register>>;

export async function register(homeserver: string, name: string, bot: string) {
  let token: string | undefined;
  const request = (method: string, path: string, body?: object) =>
    fetch(`${homeserver}/_matrix/client/v3/${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body && { body: JSON.stringify(body) }),
    });
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await request(method, path, body);
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status}`);
    return (await response.json()) as T;
  };
  const account = { username: name, password: 'secret', auth: { type: 'm.login.dummy' } };
  token = (await call<{ access_token: string }>('POST', 'register', account)).access_token;
  let since = (await call<Synced>('GET', 'sync')).next_batch;
  let sent = 0;

  return {
    /** A room with the bot, once it has joined. */
    async directRoom(): Promise<string> {
      const { room_id: room } = await call<{ room_id: string }>('POST', 'createRoom', {
        preset: 'trusted_private_chat',
        is_direct: true,
        invite: [bot],
      });
      const path = `rooms/${encodeURIComponent(room)}/joined_members`;
      for (;;) {
        const { joined } = await call<{ joined: object }>('GET', path);
        if (bot in joined) return room;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    /** Resolves to when the homeserver had it. */
    async say(room: string, body: string): Promise<number> {
      const content = { msgtype: 'm.text', body, 'm.mentions': {} };
      const path = `rooms/${encodeURIComponent(room)}/send/m.room.message/${name}.${sent++}`;
      const response = await request('PUT', path, content);
      const at = performance.now();
      if (!response.ok) throw new Error(`a message was refused: ${response.status}`);
      await response.text();
      return at;
    },
    /** Reads on until the bot has said something in the room. */
    async hear(room: string): Promise<Heard> {
      for (;;) {
        const response = await request('GET', `sync?timeout=30000&since=${encodeURIComponent(since)}`);
        const first = performance.now();
        const synced = (await response.json()) as Synced;
        const last = performance.now();
        since = synced.next_batch;
        const events = synced.rooms?.join?.[room]?.timeline?.events ?? [];
        if (events.some(({ type, sender }) => type === 'm.room.message' && sender === bot))
          return { first, last };
      }
    },
  };
}
