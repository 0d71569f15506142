/** What each call of the client asks of a homeserver, and what it makes of the answer. */
import { describe, expect, it } from 'vitest';
import type { MatrixClient } from '../../functions/matrix/client.ts';
import { rows } from './matrix-http-rows.ts';
import { failure, json, page, recordingServer, room, TOKEN } from './recording-server.ts';

const { state, clientWith } = recordingServer();

describe('a call', () => {
  it.each(rows)('is one request: %s', async (_, call, body, result, request) => {
    state.answer = json(200, body);
    expect(await call(clientWith())).toEqual(result);
    expect(state.seen).toHaveLength(1);
    const { query, authorization, ...rest } = state.seen[0]!;
    const { query: expected = {}, ...shape } = request;
    expect({ ...rest }).toEqual({ body: undefined, ...shape });
    const given = [...new Set(query.keys())].map((key) => [key, query.getAll(key).join()]);
    expect(Object.fromEntries(given)).toEqual(expected);
    expect(authorization).toBe(`Bearer ${TOKEN}`);
  });

  it.each(rows)('rejects with what the homeserver refused: %s', async (_, call) => {
    state.answer = json(403, { errcode: 'M_FORBIDDEN', error: 'no' });
    const error = await failure(call(clientWith()));
    expect([error.kind, error.status, error.errcode]).toEqual(['refused', 403, 'M_FORBIDDEN']);
  });

  it('goes to the path of the homeserver’s URL', async () => {
    state.answer = json(200, { user_id: '@bot:hs' });
    await clientWith({ homeserver: `${state.origin}/stage//` }).whoami();
    expect(state.seen[0]!.path).toBe('/stage/_matrix/client/v3/account/whoami');
  });

  it('uses the fetch that it is given', async () => {
    const stub = async () => Response.json({ user_id: '@stub:hs' });
    expect(await clientWith({ fetch: stub }).whoami()).toBe('@stub:hs');
    expect(state.seen).toEqual([]);
  });

  it('takes a user that is there for registered', async () => {
    state.answer = json(400, { errcode: 'M_USER_IN_USE', error: 'User ID already taken.' });
    expect(await clientWith().register('bot')).toBe('exists');
  });

  it.each(['', '.', '..'])('is not made with an id that leads elsewhere: %j', async (id) => {
    const error = await failure(clientWith().event(room, id));
    expect([error.kind, state.seen]).toEqual(['refused', []]);
  });

  it('is made with an id that is no text', async () => {
    state.answer = json(404, { errcode: 'M_NOT_FOUND' });
    expect(await clientWith().event(room, '$\ud800')).toBeUndefined();
    expect(state.seen[0]!.path.endsWith('/event/%24%EF%BF%BD')).toBe(true);
  });
});

describe('what is not there', () => {
  const calls: [string, (client: MatrixClient) => Promise<unknown>][] = [
    ['state', (client) => client.state(room, 'm.room.encryption', '')],
    ['creation', (client) => client.creation(room)],
    ['event', (client) => client.event(room, '$e')],
    ['profile', (client) => client.profile('@a:hs')],
    ['alias', (client) => client.resolveAlias('#a:hs')],
  ];

  it.each(calls)('is undefined where the homeserver says so: %s', async (_, call) => {
    state.answer = json(404, { errcode: 'M_NOT_FOUND', error: 'Event not found.' });
    expect(await call(clientWith())).toBeUndefined();
  });

  it.each(calls)(
    'is a failure where only a proxy, or a server without the call, says so: %s',
    async (_, call) => {
      state.answer = page(404);
      expect(await failure(call(clientWith()))).toMatchObject({ kind: 'unreachable', status: 404 });
      state.answer = json(404, { errcode: 'M_UNRECOGNIZED' });
      expect(await failure(call(clientWith()))).toMatchObject({ kind: 'refused', errcode: 'M_UNRECOGNIZED' });
    },
  );
});
