/** Each call of the client with the answer of a homeserver, its result, and the one request it is. */
import { expect } from 'vitest';
import type { MatrixClient } from '../../functions/matrix/client.ts';
import { event, room } from './recording-server.ts';

const parsed = (id: string) => expect.objectContaining({ id, room, sender: '@alice:hs' });
const at = '/_matrix/client/v3';
const inRoom = `${at}/rooms/${encodeURIComponent(room)}`;

export type Row = [
  name: string,
  call: (client: MatrixClient) => Promise<unknown>,
  answer: unknown,
  result: unknown,
  request: { method: string; path: string; query?: Record<string, string>; body?: unknown },
];

export const rows: Row[] = [
  [
    'whoami',
    (client) => client.whoami(),
    { user_id: '@bot:hs', is_guest: false },
    '@bot:hs',
    { method: 'GET', path: `${at}/account/whoami` },
  ],
  [
    'register',
    (client) => client.register('bot'),
    { user_id: '@bot:hs', home_server: 'hs' },
    'registered',
    {
      method: 'POST',
      path: `${at}/register`,
      body: { type: 'm.login.application_service', username: 'bot', inhibit_login: true },
    },
  ],
  [
    'setDisplayName',
    (client) => client.setDisplayName('Bot'),
    {},
    undefined,
    { method: 'PUT', path: `${at}/profile/%40bot%3Ahs/displayname`, body: { displayname: 'Bot' } },
  ],
  [
    'setAvatarUrl',
    (client) => client.setAvatarUrl('mxc://hs/a'),
    {},
    undefined,
    { method: 'PUT', path: `${at}/profile/%40bot%3Ahs/avatar_url`, body: { avatar_url: 'mxc://hs/a' } },
  ],
  [
    'profile',
    (client) => client.profile('@a/b:hs'),
    { displayname: 'A', avatar_url: null },
    { displayName: 'A' },
    { method: 'GET', path: `${at}/profile/%40a%2Fb%3Ahs` },
  ],
  [
    'ping',
    (client) => client.ping('turnpike'),
    { duration_ms: 15 },
    15,
    { method: 'POST', path: '/_matrix/client/v1/appservice/turnpike/ping', body: {} },
  ],
  [
    'join',
    (client) => client.join(room, ['hs', 'b:8448']),
    { room_id: room },
    room,
    {
      method: 'POST',
      path: `${at}/join/${encodeURIComponent(room)}`,
      query: { via: 'hs,b:8448', server_name: 'hs,b:8448' },
      body: {},
    },
  ],
  [
    'join without servers',
    (client) => client.join('#a:hs', []),
    { room_id: room },
    room,
    { method: 'POST', path: `${at}/join/%23a%3Ahs`, body: {} },
  ],
  [
    'leave',
    (client) => client.leave(room),
    {},
    undefined,
    { method: 'POST', path: `${inRoom}/leave`, body: {} },
  ],
  [
    'state without a key',
    (client) => client.state(room, 'm.room.power_levels', ''),
    { users: { '@bot:hs': 50 } },
    { users: { '@bot:hs': 50 } },
    { method: 'GET', path: `${inRoom}/state/m.room.power_levels` },
  ],
  [
    'state with a key',
    (client) => client.state(room, 'm.room.member', '@a:hs'),
    { membership: 'join' },
    { membership: 'join' },
    { method: 'GET', path: `${inRoom}/state/m.room.member/%40a%3Ahs` },
  ],
  [
    'creation',
    (client) => client.creation(room),
    event('$c', { type: 'm.room.create', state_key: '', content: { room_version: '12' } }),
    { sender: '@alice:hs', content: { room_version: '12' } },
    { method: 'GET', path: `${inRoom}/state/m.room.create`, query: { format: 'event' } },
  ],
  [
    'creation, told by an old server',
    (client) => client.creation(room),
    { creator: '@a:hs', room_version: '9' },
    { sender: '@a:hs', content: { creator: '@a:hs', room_version: '9' } },
    { method: 'GET', path: `${inRoom}/state/m.room.create`, query: { format: 'event' } },
  ],
  [
    'joinedMembers',
    (client) => client.joinedMembers(room),
    { joined: { '@a:hs': { display_name: 'A', avatar_url: null }, '@bot:hs': {} } },
    { members: [{ userId: '@a:hs', displayName: 'A' }, { userId: '@bot:hs' }], truncated: false },
    { method: 'GET', path: `${inRoom}/joined_members` },
  ],
  [
    'invitedMembers',
    (client) => client.invitedMembers(room),
    {
      chunk: [
        { type: 'm.room.member', state_key: '@a:hs', content: { membership: 'invite', displayname: 'A' } },
        { type: 'm.room.member', state_key: '@b:hs', content: { membership: 'join' } },
        { content: { membership: 'invite' } },
        null,
      ],
    },
    { members: [{ userId: '@a:hs', displayName: 'A' }], truncated: false },
    { method: 'GET', path: `${inRoom}/members`, query: { membership: 'invite' } },
  ],
  [
    'event',
    (client) => client.event(room, '$a/b+c'),
    event('$a/b+c'),
    parsed('$a/b+c'),
    { method: 'GET', path: `${inRoom}/event/%24a%2Fb%2Bc` },
  ],
  [
    'messages',
    (client) => client.messages(room, { limit: 20, from: 't1', senders: ['@bot:hs'] }),
    { chunk: [event('$2'), { odd: true }, event('$1')], start: 't1', end: 't0' },
    { events: [parsed('$2'), parsed('$1')], end: 't0' },
    {
      method: 'GET',
      path: `${inRoom}/messages`,
      query: { dir: 'b', limit: '20', from: 't1', filter: '{"senders":["@bot:hs"]}' },
    },
  ],
  [
    'messages at the beginning of the room',
    (client) => client.messages(room, { limit: 20 }),
    { chunk: [], start: 't1' },
    { events: [] },
    { method: 'GET', path: `${inRoom}/messages`, query: { dir: 'b', limit: '20' } },
  ],
  [
    'send',
    (client) => client.send(room, 'm.room.message', 'turn.set#0', { body: 'x' }),
    { event_id: '$new' },
    '$new',
    { method: 'PUT', path: `${inRoom}/send/m.room.message/turn.set%230`, body: { body: 'x' } },
  ],
  [
    'redact',
    (client) => client.redact(room, '$e', 'txn', 'because'),
    { event_id: '$r' },
    '$r',
    { method: 'PUT', path: `${inRoom}/redact/%24e/txn`, body: { reason: 'because' } },
  ],
  [
    'typing',
    (client) => client.typing(room, true, 25_000),
    {},
    undefined,
    { method: 'PUT', path: `${inRoom}/typing/%40bot%3Ahs`, body: { typing: true, timeout: 25_000 } },
  ],
  [
    'typing no more',
    (client) => client.typing(room, false, 0),
    {},
    undefined,
    { method: 'PUT', path: `${inRoom}/typing/%40bot%3Ahs`, body: { typing: false } },
  ],
  [
    'receipt',
    (client) => client.receipt(room, '$e'),
    {},
    undefined,
    { method: 'POST', path: `${inRoom}/receipt/m.read/%24e`, body: {} },
  ],
  [
    'resolveAlias',
    (client) => client.resolveAlias('#a:hs'),
    { room_id: room, servers: ['hs'] },
    room,
    { method: 'GET', path: `${at}/directory/room/%23a%3Ahs` },
  ],
  [
    'createRoom',
    (client) => client.createRoom({ preset: 'trusted_private_chat', invite: ['@a:hs'], isDirect: true }),
    { room_id: room },
    room,
    {
      method: 'POST',
      path: `${at}/createRoom`,
      body: { preset: 'trusted_private_chat', invite: ['@a:hs'], is_direct: true },
    },
  ],
];
