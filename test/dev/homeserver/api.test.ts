import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { client, e, type Running, start } from './running.ts';
import { alice, bob, bot, roomOf, say, text } from './small-world.ts';

let run: Running;
beforeAll(async () => {
  run = await start({ maxUploadBytes: 1_000 });
});
afterAll(() => run.stop());

const call: Running['call'] = (...given) => run.call(...given);
const refused = (status: number, errcode: string) => ({
  status,
  json: { errcode, error: expect.any(String) },
});
const done = (json: unknown = {}) => ({ status: 200, json });

describe('paths', () => {
  it('that do not exist are 404, other methods 405, and browsers may call all of them', async () => {
    expect(await call(run.tokens.alice, 'GET', `${client}/nothing`)).toMatchObject(
      refused(404, 'M_UNRECOGNIZED'),
    );
    expect(await call(run.tokens.alice, 'DELETE', `${client}/account/whoami`)).toMatchObject(
      refused(405, 'M_UNRECOGNIZED'),
    );
    const preflight = await fetch(`${run.homeserver.url}${client}/sync`, { method: 'OPTIONS' });
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    const { json } = await call(undefined, 'GET', '/_matrix/client/versions');
    expect(json.versions).toEqual(expect.arrayContaining(['v1.1', 'v1.15']));
  });

  it('that are not percent-encoded text are 400, as are bodies that are not JSON objects', async () => {
    expect((await call(undefined, 'GET', `${client}/profile/%ff`)).status).toBe(400);
    const create = (body: unknown) => call(run.tokens.alice, 'POST', `${client}/createRoom`, body);
    expect(await create('{bad')).toMatchObject(refused(400, 'M_NOT_JSON'));
    expect(await create([])).toMatchObject(refused(400, 'M_BAD_JSON'));
    expect(await create({ preset: 'zzz' })).toMatchObject(refused(400, 'M_BAD_JSON'));
    expect(await create('x'.repeat(5_000_000))).toMatchObject(refused(413, 'M_TOO_LARGE'));
  });
});

describe('who calls', () => {
  const whoami = (token?: string, query = '') => call(token, 'GET', `${client}/account/whoami${query}`);

  it('is told by a token in the header or the query', async () => {
    expect(await whoami(run.tokens.alice)).toMatchObject(
      done({ user_id: alice, device_id: expect.any(String) }),
    );
    expect(await whoami(undefined, '?access_token=as-token')).toMatchObject(
      done({ user_id: bot, is_guest: false }),
    );
    expect(await whoami()).toMatchObject(refused(401, 'M_MISSING_TOKEN'));
    expect(await whoami('nope')).toMatchObject(refused(401, 'M_UNKNOWN_TOKEN'));
  });

  it('may be a registered user of the service, and nobody else', async () => {
    const as = (user: string) => whoami('as-token', `?user_id=${e(user)}`);
    expect(await as('@bot_masked:hs.test')).toMatchObject(refused(403, 'M_FORBIDDEN'));
    run.homeserver.world.register('bot_masked', 'service');
    expect(await as('@bot_masked:hs.test')).toMatchObject(done({ user_id: '@bot_masked:hs.test' }));
    expect((await as(alice)).json.error).toContain('cannot masquerade');
  });
});

describe('registering', () => {
  const register = (body: object, token?: string) => call(token, 'POST', `${client}/register`, body);
  const dummy = { type: 'm.login.dummy' };
  const asService = { type: 'm.login.application_service', inhibit_login: true };

  it('of a person asks for the dummy stage, then gives a token', async () => {
    expect(await register({ username: 'dora' })).toMatchObject({
      status: 401,
      json: { flows: [{ stages: ['m.login.dummy'] }] },
    });
    const { json } = await register({ username: 'dora', password: 'x', auth: dummy });
    expect(json).toMatchObject({ user_id: '@dora:hs.test', device_id: expect.any(String) });
    expect((await call(json.access_token, 'GET', `${client}/account/whoami`)).json.user_id).toBe(
      '@dora:hs.test',
    );
    expect(await register({ username: 'dora', auth: dummy })).toMatchObject(refused(400, 'M_USER_IN_USE'));
    expect(await register({ username: 'bot_y', auth: dummy })).toMatchObject(refused(400, 'M_EXCLUSIVE'));
  });

  it('of the service needs its token and its type', async () => {
    expect(await register({ ...asService, username: 'bot_z' }, 'as-token')).toMatchObject(
      done({ user_id: '@bot_z:hs.test' }),
    );
    expect(await register({ ...asService, username: 'bot_z' }, 'as-token')).toMatchObject(
      refused(400, 'M_USER_IN_USE'),
    );
    expect(await register({ ...asService, username: 'zed' }, 'as-token')).toMatchObject(
      refused(400, 'M_EXCLUSIVE'),
    );
    expect(await register({ ...asService, username: 'bot_w' }, 'nope')).toMatchObject(
      refused(401, 'M_UNKNOWN_TOKEN'),
    );
    expect((await register({ username: 'bot_w' }, 'as-token')).status).toBe(400);
    const withLogin = await register({ type: asService.type, username: 'bot_w' }, 'as-token');
    expect(withLogin.json.access_token).toEqual(expect.any(String));
  });
});

describe('a room over HTTP', () => {
  it('is made, joined by alias, talked in, read and left', async () => {
    const { alice: a, bob: b } = run.tokens;
    const { json: made } = await call(a, 'POST', `${client}/createRoom`, {
      preset: 'public_chat',
      room_alias_name: 'talk',
    });
    const room = `${client}/rooms/${e(made.room_id)}`;
    expect(await call(b, 'POST', `${client}/join/${e('#talk:hs.test')}?via=hs.test`, {})).toMatchObject(
      done({ room_id: made.room_id }),
    );
    expect(await call(b, 'POST', `${room}/join`)).toMatchObject(done());

    const send = (id: string, body: string) =>
      call(b, 'PUT', `${room}/send/m.room.message/${id}`, text(body));
    const { json: sent } = await send('1', 'hi');
    expect((await send('1', 'again')).json).toEqual(sent);
    expect((await call(a, 'GET', `${room}/event/${e(sent.event_id)}`)).json).toMatchObject({
      content: { body: 'hi' },
      user_id: bob,
      unsigned: { membership: 'join' },
    });
    expect((await call(b, 'GET', `${room}/event/${e(sent.event_id)}`)).json.unsigned.transaction_id).toBe(
      '1',
    );

    expect((await call(a, 'PUT', `${room}/state/m.room.topic`, { topic: 'x' })).status).toBe(200);
    for (const path of ['/state/m.room.topic', '/state/m.room.topic/'])
      expect(await call(b, 'GET', room + path)).toMatchObject(done({ topic: 'x' }));
    expect((await call(b, 'GET', `${room}/state/m.room.topic?format=event`)).json).toMatchObject({
      type: 'm.room.topic',
      sender: alice,
    });
    expect((await call(b, 'GET', `${room}/state`)).json.map(({ type }: { type: string }) => type)).toContain(
      'm.room.create',
    );

    const filter = e(JSON.stringify({ senders: [bob], types: ['m.room.message'] }));
    const page = await call(a, 'GET', `${room}/messages?dir=b&limit=5&filter=${filter}`);
    expect(page.json.chunk.map(({ event_id }: { event_id: string }) => event_id)).toEqual([sent.event_id]);
    expect(await call(a, 'GET', `${room}/messages?dir=x`)).toMatchObject(refused(400, 'M_INVALID_PARAM'));
    expect(await call(a, 'GET', `${room}/messages?dir=b&limit=-1`)).toMatchObject(
      refused(400, 'M_INVALID_PARAM'),
    );
    expect(await call(a, 'GET', `${room}/messages?dir=b&filter=zz`)).toMatchObject(
      refused(400, 'M_NOT_JSON'),
    );

    const redaction = await call(a, 'PUT', `${room}/redact/${e(sent.event_id)}/9`, { reason: 'r' });
    expect((await call(b, 'GET', `${room}/event/${e(sent.event_id)}`)).json).toMatchObject({
      content: {},
      unsigned: { redacted_by: redaction.json.event_id },
    });

    expect((await call(a, 'GET', `${room}/members?membership=join`)).json.chunk).toHaveLength(2);
    expect(Object.keys((await call(a, 'GET', `${room}/joined_members`)).json.joined)).toEqual([alice, bob]);
    expect(
      await call(a, 'PUT', `${room}/typing/${e(alice)}`, { typing: true, timeout: 1_000 }),
    ).toMatchObject(done());
    expect(await call(a, 'PUT', `${room}/typing/${e(bob)}`, { typing: true })).toMatchObject(
      refused(400, 'M_FORBIDDEN'),
    );
    expect(
      await call(a, 'POST', `${room}/receipt/m.read/${e(sent.event_id)}`, { thread_id: 'main' }),
    ).toMatchObject(done());

    expect(await call(a, 'POST', `${room}/kick`, {})).toMatchObject(refused(400, 'M_MISSING_PARAM'));
    expect(await call(a, 'POST', `${room}/kick`, { user_id: bob, reason: 'r' })).toMatchObject(done());
    expect(await call(a, 'POST', `${room}/ban`, { user_id: bob })).toMatchObject(done());
    expect(await call(a, 'POST', `${room}/unban`, { user_id: bob })).toMatchObject(done());
    expect(await call(a, 'POST', `${room}/invite`, { user_id: bob })).toMatchObject(done());
    const upgraded = await call(a, 'POST', `${room}/upgrade`, { new_version: '11' });
    expect(upgraded.json.replacement_room).toMatch(/:hs\.test$/);
    expect(
      (await call(undefined, 'GET', `${client}/directory/room/${e('#talk:hs.test')}`)).json.room_id,
    ).toBe(upgraded.json.replacement_room);
    expect(await call(a, 'POST', `${room}/leave`)).toMatchObject(done());
  });

  it('is not there, or not for this user', async () => {
    const room = `${client}/rooms/${e('!nowhere:hs.test')}`;
    expect(await call(run.tokens.alice, 'PUT', `${room}/send/x/1`, {})).toMatchObject(
      refused(403, 'M_FORBIDDEN'),
    );
    expect(await call(run.tokens.alice, 'POST', `${room}/join`, {})).toMatchObject(refused(404, 'M_UNKNOWN'));
    expect((await call(run.tokens.alice, 'POST', `${client}/join/zzz`, {})).status).toBe(400);
  });

  it('asks the service about its unknown aliases and users', async () => {
    const { receiver } = run;
    const asked = () => receiver.received.filter(({ method }) => method === 'GET').map(({ url }) => url);
    expect(
      (await call(run.tokens.alice, 'GET', `${client}/directory/room/${e('#bot_x:hs.test')}`)).status,
    ).toBe(404);
    expect(
      (await call(run.tokens.alice, 'GET', `${client}/directory/room/${e('#other:hs.test')}`)).status,
    ).toBe(404);
    const room = roomOf(run.homeserver.world);
    const invite = (user_id: string) =>
      call(run.tokens.alice, 'POST', `${client}/rooms/${e(room)}/invite`, { user_id });
    expect(await invite('@bot_unknown:hs.test')).toMatchObject(done());
    expect(await invite(bot)).toMatchObject(done());
    expect(asked()).toEqual([
      '/_matrix/app/v1/rooms/%23bot_x%3Ahs.test',
      '/_matrix/app/v1/users/%40bot_unknown%3Ahs.test',
    ]);
  });
});

describe('profiles, OpenID and files', () => {
  it('a name is changed by its owner, and read by all', async () => {
    const path = `${client}/profile/${e(bob)}`;
    expect(await call(run.tokens.bob, 'PUT', `${path}/displayname`, { displayname: 'Bob' })).toMatchObject(
      done(),
    );
    expect(
      await call(run.tokens.bob, 'PUT', `${path}/avatar_url`, { avatar_url: 'mxc://a/b' }),
    ).toMatchObject(done());
    expect(await call(run.tokens.alice, 'PUT', `${path}/displayname`, { displayname: 'B' })).toMatchObject(
      refused(400, 'M_FORBIDDEN'),
    );
    expect(await call(undefined, 'GET', path)).toMatchObject(
      done({ displayname: 'Bob', avatar_url: 'mxc://a/b' }),
    );
    expect(await call(undefined, 'GET', `${path}/displayname`)).toMatchObject(done({ displayname: 'Bob' }));
    expect((await call(undefined, 'GET', `${client}/profile/${e('@no:hs.test')}`)).status).toBe(404);
  });

  it('an OpenID token says who one is to a third party', async () => {
    const ask = (user: string) =>
      call(run.tokens.alice, 'POST', `${client}/user/${e(user)}/openid/request_token`, {});
    const { json } = await ask(alice);
    const info = (query: string) => call(undefined, 'GET', `/_matrix/federation/v1/openid/userinfo${query}`);
    expect(await info(`?access_token=${json.access_token}`)).toMatchObject(done({ sub: alice }));
    expect(await info('?access_token=no')).toMatchObject(refused(401, 'M_UNKNOWN_TOKEN'));
    expect((await info('')).status).toBe(401);
    expect(await ask(bob)).toMatchObject(refused(403, 'M_FORBIDDEN'));
  });

  it('a file needs a token, both ways', async () => {
    const upload = (body: string, token?: string) =>
      call(token, 'POST', '/_matrix/media/v3/upload?filename=a%20b.txt', body);
    const { json } = await upload('hello', run.tokens.alice);
    const path = `/_matrix/client/v1/media/download/${json.content_uri.replace('mxc://', '')}`;
    const file = await call(run.tokens.bot, 'GET', path);
    expect([file.json, file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      'hello',
      'text/plain',
      "inline; filename*=utf-8''a%20b.txt",
    ]);
    expect(await call(undefined, 'GET', path)).toMatchObject(refused(401, 'M_MISSING_TOKEN'));
    expect((await call(run.tokens.bot, 'GET', path.replace('client/v1/media', 'media/v3'))).status).toBe(404);
    expect((await call(run.tokens.bot, 'GET', `${path}x`)).status).toBe(404);
    expect(await upload('x'.repeat(1_001), run.tokens.alice)).toMatchObject(refused(413, 'M_TOO_LARGE'));
    expect((await call(run.tokens.bot, 'GET', '/_matrix/client/v1/media/config')).json).toEqual({
      'm.upload.size': 1_000,
    });
  });
});

describe('a port that is taken', () => {
  it('is an error, and leaves nothing running', async () => {
    const port = Number(new URL(run.homeserver.url).port);
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('20 sends under one transaction id at once', () => {
  it('make one event', async () => {
    const room = roomOf(run.homeserver.world, [bot]);
    const send = () =>
      call('as-token', 'PUT', `${client}/rooms/${e(room)}/send/m.room.message/same`, text('x'));
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    expect(new Set(answers.map(({ json }) => json.event_id)).size).toBe(1);
    expect(say(run.homeserver.world, alice, room, 'next')).not.toBe(answers[0]?.json.event_id);
  });
});
