import { afterEach, describe, expect, it } from 'vitest';
import { type Running, start } from '../running.ts';
import { alice, bot, registration, roomOf, say } from '../small-world.ts';
import { until } from '../virtual-clock.ts';

let run: Running;
afterEach(() => run.stop());

const ping = (token = run.tokens.bot, id = 'turnpike', body: object = { transaction_id: 'p' }) =>
  run.call(token, 'POST', `/_matrix/client/v1/appservice/${id}/ping`, body);

describe('delivery over HTTP', () => {
  it('puts transactions with the token in the header', async () => {
    run = await start();
    const room = roomOf(run.homeserver.world, [bot]);
    await run.homeserver.pusher.idle();
    const [first] = run.receiver.transactions();
    expect(first).toMatchObject({
      method: 'PUT',
      url: '/_matrix/app/v1/transactions/1',
      authorization: 'Bearer hs-token',
      body: {
        events: [{ content: { membership: 'invite' }, room_id: room }, { content: { membership: 'join' } }],
      },
    });
    expect(first!.body.events![0]).toHaveProperty('invite_room_state');
  });

  it('puts the token into the query too where it is told to', async () => {
    run = await start({ legacyQueryToken: true, style: 'dendrite' });
    roomOf(run.homeserver.world, [bot]);
    await run.homeserver.pusher.idle();
    expect(run.receiver.transactions()[0]?.url).toMatch(
      /^\/_matrix\/app\/v1\/transactions\/\d{19}\?access_token=hs-token$/,
    );
    expect((await ping()).status).toBe(200);
    expect(run.receiver.received.at(-1)?.url).toBe('/_matrix/app/v1/ping');
  });

  it.each([
    ['a refusal', { status: 500, body: '{}' }],
    ['an answer that is not JSON', { status: 200, body: '<html>' }],
    ['a broken connection', 'close'],
  ] as const)('is tried again after %s', async (_, answer) => {
    run = await start();
    run.receiver.answerWith(answer);
    roomOf(run.homeserver.world, [bot]);
    await until(() => run.receiver.transactions().length === 1 && run.clock.sleepers() === 1);
    run.receiver.answerWith({ status: 200, body: '{}' });
    await run.clock.advance(2_000);
    await run.homeserver.pusher.idle();
    const [first, second, ...others] = run.receiver.transactions();
    expect(second?.url).toBe(first?.url);
    expect(second?.body.events?.map(({ event_id }) => event_id)).toEqual(
      first?.body.events?.map(({ event_id }) => event_id),
    );
    expect(others).toEqual([]);
  });

  it('gives an answer up after the time it is given, and tries again', async () => {
    run = await start({ giveUpAfterMs: 60_000 });
    run.receiver.answerWith('hang');
    roomOf(run.homeserver.world, [bot]);
    await until(() => run.receiver.transactions().length === 1);
    await run.clock.advance(59_999);
    expect(run.receiver.transactions()).toHaveLength(1);
    await run.clock.advance(1);
    await until(() => run.clock.sleepers() === 1);
    run.receiver.answerWith({ status: 200, body: '{}' });
    await run.clock.advance(2_000);
    await run.homeserver.pusher.idle();
    expect(run.receiver.transactions()[1]?.url).toBe(run.receiver.transactions()[0]?.url);
  });

  it('waits for the rest of an answer that has begun, however long', async () => {
    run = await start();
    run.receiver.answerWith('slowly');
    roomOf(run.homeserver.world, [bot]);
    await until(() => run.receiver.transactions().length === 1 && run.clock.sleepers() === 0);
    await run.clock.advance(70_000);
    run.receiver.finish();
    await run.homeserver.pusher.idle();
    expect(run.receiver.transactions()).toHaveLength(1);
  });

  it('scales its pauses', async () => {
    run = await start({ backoffScale: 0.001 });
    run.receiver.answerWith({ status: 500, body: '{}' });
    say(run.homeserver.world, bot, roomOf(run.homeserver.world, [bot]), 'x');
    await until(() => run.clock.sleepers() === 1);
    run.receiver.answerWith({ status: 200, body: '{}' });
    await run.clock.advance(2);
    await run.homeserver.pusher.idle();
  });

  it('pushes typing to a service that asked for it', async () => {
    run = await start({ registration: { ...registration, receive_ephemeral: true } });
    const room = roomOf(run.homeserver.world, [bot]);
    await run.homeserver.pusher.idle();
    run.homeserver.world.setTyping(alice, room, true);
    await until(() =>
      run.receiver.transactions().some(({ body }) => (body.ephemeral as unknown[]).length > 0),
    );
    expect(run.receiver.transactions().at(-1)?.body).toEqual({
      events: [],
      ephemeral: [{ type: 'm.typing', room_id: room, content: { user_ids: [alice] } }],
      'de.sorunome.msc2409.to_device': [],
    });
  });
});

describe('a ping', () => {
  it('calls the service and says how long it took', async () => {
    run = await start();
    expect(await ping()).toMatchObject({ status: 200, json: { duration_ms: expect.any(Number) } });
    expect(run.receiver.received).toEqual([
      {
        method: 'POST',
        url: '/_matrix/app/v1/ping',
        authorization: 'Bearer hs-token',
        body: { transaction_id: 'p' },
      },
    ]);
    await ping(run.tokens.bot, 'turnpike', {});
    expect(run.receiver.received[1]?.body).toEqual({ transaction_id: null });
  });

  it('says what went wrong', async () => {
    run = await start();
    run.receiver.answerWith({ status: 403, body: '{"errcode":"M_FORBIDDEN"}' });
    expect(await ping()).toMatchObject({
      status: 502,
      json: { errcode: 'M_BAD_STATUS', status: 403, body: '{"errcode":"M_FORBIDDEN"}' },
    });
    run.receiver.answerWith({ status: 200, body: 'fine' });
    expect(await ping()).toMatchObject({ status: 502, json: { errcode: 'M_CONNECTION_FAILED' } });
    run.receiver.answerWith('close');
    expect(await ping()).toMatchObject({ status: 502, json: { errcode: 'M_CONNECTION_FAILED' } });
    run.receiver.answerWith('hang');
    const late = ping();
    await until(() => run.receiver.received.length === 4);
    await run.clock.advance(60_000);
    expect(await late).toMatchObject({ status: 504, json: { errcode: 'M_CONNECTION_TIMEOUT' } });
    expect(await ping(run.tokens.bot, 'other')).toMatchObject({
      status: 403,
      json: { errcode: 'M_FORBIDDEN' },
    });
    expect(await ping(run.tokens.alice)).toMatchObject({ status: 403, json: { errcode: 'M_FORBIDDEN' } });
  });

  it('that succeeds ends the pause at once; one that fails does not', async () => {
    run = await start();
    run.receiver.answerWith({ status: 500, body: '{}' });
    roomOf(run.homeserver.world, [bot]);
    await until(() => run.clock.sleepers() === 1);
    await ping();
    expect(run.receiver.transactions()).toHaveLength(1);
    run.receiver.answerWith({ status: 200, body: '{}' });
    await ping();
    await run.homeserver.pusher.idle();
    expect(run.receiver.transactions().length).toBeGreaterThan(1);
  });
});
