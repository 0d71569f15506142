/** From a person's OpenID token to a session and back to the person, with a homeserver and a room on the wire. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authorize } from '../../functions/access/authorize.ts';
import { confirmInRoom } from '../../functions/access/confirm-room.ts';
import type { AccessDeps } from '../../functions/access/ports.ts';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { openIdUserinfo } from '../../functions/adapters/matrix-http/openid.ts';
import { accessGate } from '../access/gate.ts';
import { client, e, type Running, start } from '../dev/homeserver/running.ts';
import { alice, bob, bot, registration, serverName } from '../dev/homeserver/small-world.ts';

let running: Running;
beforeAll(async () => {
  running = await start();
});
afterAll(() => running.stop());

const gateOf = (more: Partial<AccessDeps> = {}) =>
  accessGate({
    clock: running.clock,
    servers: [serverName],
    userinfo: openIdUserinfo(new Map([[serverName, running.homeserver.url]])),
    ...more,
  });

async function openidOf(user: string, token: string): Promise<unknown> {
  const answer = await running.call(token, 'POST', `${client}/user/${e(user)}/openid/request_token`, {});
  expect(answer.status).toBe(200);
  return answer.json;
}

describe('a session for an OpenID token', () => {
  it('is its owner’s, once', async () => {
    const gate = gateOf();
    const openid = await openidOf(bob, running.tokens.bob);
    const opened = await gate.open(openid);
    if (opened.kind !== 'session') throw new Error(JSON.stringify(opened));
    expect(opened.user).toBe(bob);
    expect(await authorize(gate.deps, { authorization: `Bearer ${opened.session}` })).toMatchObject({
      kind: 'caller',
      user: bob,
    });
    expect(await gate.open(openid)).toMatchObject({ code: 'unauthorized' });
  });

  it('is not opened when the token is over, or was made up', async () => {
    const gate = gateOf();
    const openid = await openidOf(alice, running.tokens.alice);
    expect(await gate.open({ access_token: 'made-up', matrix_server_name: serverName })).toMatchObject({
      code: 'unauthorized',
    });
    await running.clock.advance(3_600_001);
    expect(await gate.open(openid)).toMatchObject({ code: 'unauthorized' });
  });

  it('can be confirmed by the code in the room with the bot', async () => {
    const matrix = matrixHttpClient({
      homeserver: running.homeserver.url,
      userId: bot,
      token: registration.as_token,
    });
    const { deps } = gateOf();
    const gate = gateOf({ confirm: confirmInRoom({ ...deps, matrix, bot }) });
    expect(await gate.open(await openidOf(alice, running.tokens.alice))).toEqual({ kind: 'confirm' });
    const { world } = running.homeserver;
    const room = world.joinedRooms(bot)[0]!;
    const { alice: token } = running.tokens;
    expect((await running.call(token, 'POST', `${client}/rooms/${e(room)}/join`, {})).status).toBe(200);
    const { json } = await running.call(token, 'GET', `${client}/rooms/${e(room)}/messages?dir=b&limit=20`);
    const code = /\d{6}/.exec(JSON.stringify(json.chunk.map(({ content }: never) => content)))?.[0];
    expect(await gate.open(await openidOf(alice, token), code)).toMatchObject({
      kind: 'session',
      user: alice,
    });
  });
});
