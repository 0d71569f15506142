/**
 * The port to a homeserver over HTTP: each call is one request of the client-server API (spec v1.19), made as the user
 * that the token of an application service speaks for by itself, its `sender_localpart`.
 */
import { type Call, isMatrixError, type MatrixClient, type Members } from '../../matrix/client.ts';
import { parseEvent, type RoomEvent } from '../../matrix/event.ts';
import { at, type Json, recordAt, strings, textAt } from '../../matrix/json.ts';
import type { Creation } from '../../matrix/power.ts';
import { type MatrixHttpOptions, matrixHttp, type Request } from './http.ts';

/** `userId` is the token's user: some paths name it. */
export function matrixHttpClient(options: MatrixHttpOptions & { readonly userId: string }): MatrixClient {
  const ask = matrixHttp(options);
  const { userId } = options;

  type Read<T> = Request<T>['read'];
  type More<T> = Partial<Pick<Request<T>, 'query' | 'maxBytes' | 'tooLong' | 'slow' | 'mayLeave'>>;
  const asking =
    (method: 'PUT' | 'POST') =>
    <T>(name: string, path: string[], body: object, call: Call | undefined, read: Read<T>, more?: More<T>) =>
      ask({
        call: name,
        method,
        path: ['v3', ...path],
        body,
        signal: call?.signal,
        read,
        slow: true,
        ...more,
      });
  const put = asking('PUT');
  const post = asking('POST');
  const get = <T>(name: string, path: string[], call: Call | undefined, read: Read<T>, more?: More<T>) =>
    ask({ call: name, method: 'GET', path: ['v3', ...path], signal: call?.signal, read, ...more });

  return {
    whoami: (call) => get('whoami', ['account', 'whoami'], call, text('user_id')),
    async register(localpart, call) {
      const body = { type: 'm.login.application_service', username: localpart, inhibit_login: true };
      try {
        return await post('register', ['register'], body, call, () => 'registered');
      } catch (error) {
        if (isMatrixError(error) && error.errcode === 'M_USER_IN_USE') return 'exists';
        throw error;
      }
    },
    async setDisplayName(name, call) {
      await put('setDisplayName', ['profile', userId, 'displayname'], { displayname: name }, call, anything);
    },
    async setAvatarUrl(url, call) {
      await put('setAvatarUrl', ['profile', userId, 'avatar_url'], { avatar_url: url }, call, anything);
    },
    profile: (user, call) =>
      unlessMissing(
        get('profile', ['profile', user], call, (answer) => ({
          displayName: textAt(answer, 'displayname'),
          avatarUrl: textAt(answer, 'avatar_url'),
        })),
      ),
    ping: (appserviceId, call) =>
      ask({
        call: 'ping',
        method: 'POST',
        path: ['v1', 'appservice', appserviceId, 'ping'],
        body: {},
        slow: true,
        signal: call?.signal,
        read: ({ duration_ms: ms }) => (typeof ms === 'number' ? ms : undefined),
      }),

    join: (room, via, call) =>
      post('join', ['join', room], {}, call, text('room_id'), { query: viaQuery(via) }),
    joinedRooms: (call) =>
      get('joinedRooms', ['joined_rooms'], call, (answer) => strings(at(answer, 'joined_rooms'))),
    async leave(room, call) {
      await post('leave', ['rooms', room, 'leave'], {}, call, anything);
    },
    joinedMembers: (room, call) =>
      get('joinedMembers', ['rooms', room, 'joined_members'], call, joined, membersAtMost),
    invitedMembers: (room, call) =>
      get('invitedMembers', ['rooms', room, 'members'], call, invited, {
        ...membersAtMost,
        query: new URLSearchParams({ membership: 'invite' }),
      }),
    resolveAlias: (alias, call) =>
      unlessMissing(get('resolveAlias', ['directory', 'room', alias], call, text('room_id'))),
    createRoom: ({ name, preset, invite, isDirect }, call) =>
      post(
        'createRoom',
        ['createRoom'],
        { name, preset, invite, is_direct: isDirect },
        call,
        text('room_id'),
      ),

    state: (room, type, key, call) =>
      // An empty key would end the path with a slash, which it need not have.
      unlessMissing(
        get('state', ['rooms', room, 'state', type, ...(key === '' ? [] : [key])], call, anything),
      ),
    creation: (room, call) =>
      unlessMissing(
        get('creation', ['rooms', room, 'state', 'm.room.create'], call, creationOf(room), {
          query: new URLSearchParams({ format: 'event' }),
        }),
      ),
    event: (room, event, call) =>
      unlessMissing(
        get('event', ['rooms', room, 'event', event], call, (answer) => parsed([answer], room)[0]),
      ),
    messages: (room, { limit, from, senders }, call) =>
      get('messages', ['rooms', room, 'messages'], call, messagesOf(room), {
        maxBytes: MAX_MESSAGES_BYTES,
        query: new URLSearchParams({
          dir: 'b',
          limit: String(limit),
          ...(from !== undefined && { from }),
          ...(senders && { filter: JSON.stringify({ senders }) }),
        }),
      }),

    send: (room, type, txnId, content, call) =>
      put('send', ['rooms', room, 'send', type, txnId], content, call, text('event_id'), {
        mayLeave: call?.mayLeave,
      }),
    redact: (room, event, txnId, reason, call) =>
      put('redact', ['rooms', room, 'redact', event, txnId], { reason }, call, text('event_id')),
    async typing(room, on, timeoutMs, call) {
      const body = on ? { typing: true, timeout: timeoutMs } : { typing: false };
      await put('typing', ['rooms', room, 'typing', userId], body, call, anything, { slow: false });
    },
    async receipt(room, event, call) {
      const path = ['rooms', room, 'receipt', 'm.read', event];
      await post('receipt', path, {}, call, anything, { slow: false });
    },
  };
}

/** A hundred of the largest events that can be. */
const MAX_MESSAGES_BYTES = 10_000_000;
const MAX_MEMBERS = 5_000;
const membersAtMost: { maxBytes: number; tooLong: Members } = {
  maxBytes: 1_000_000,
  tooLong: { members: [], truncated: true },
};

/** Servers before spec v1.12 know the parameter by its old name. */
const viaQuery = (via: readonly string[]) =>
  new URLSearchParams([
    ...via.map((server) => ['via', server] as [string, string]),
    ...via.map((server) => ['server_name', server] as [string, string]),
  ]);

const anything = (answer: Json): Json => answer;
const text = (name: string) => (answer: Json) => textAt(answer, name);

/** The homeserver itself says that there is none; any other 404 is not its word. */
async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isMatrixError(error) && error.status === 404 && error.errcode === 'M_NOT_FOUND') return undefined;
    throw error;
  }
}

function joined(answer: Json): Members | undefined {
  const joined = recordAt(answer, 'joined');
  return joined && membersOf(Object.entries(joined).map(([id, info]) => [id, textAt(info, 'display_name')]));
}

function invited({ chunk }: Json): Members | undefined {
  if (!Array.isArray(chunk)) return undefined;
  // Some servers do not filter by membership.
  const invites = chunk.filter((event) => at(at(event, 'content'), 'membership') === 'invite');
  return membersOf(
    invites.flatMap((event) => {
      const userId = textAt(event, 'state_key');
      return userId === undefined ? [] : [[userId, textAt(at(event, 'content'), 'displayname')]];
    }),
  );
}

function membersOf(people: (readonly [userId: string, displayName: string | undefined])[]): Members {
  const members = people.slice(0, MAX_MEMBERS).map(([userId, displayName]) => ({ userId, displayName }));
  return { members, truncated: people.length > MAX_MEMBERS };
}

/** Servers that do not know `format` answer with the content alone, which names the creator up to room version 10. */
const creationOf =
  (room: string) =>
  (answer: Json): Creation => {
    const [event] = parsed([answer], room);
    return event
      ? { sender: event.sender, content: event.content }
      : { sender: textAt(answer, 'creator') ?? '', content: answer };
  };

const messagesOf =
  (room: string) =>
  ({ chunk, end }: Json) =>
    Array.isArray(chunk)
      ? { events: parsed(chunk, room), ...(typeof end === 'string' && { end }) }
      : undefined;

function parsed(events: readonly unknown[], room: string): RoomEvent[] {
  return events.flatMap((raw) => {
    const event = parseEvent(raw, room);
    return event.ok ? [event.event] : [];
  });
}
