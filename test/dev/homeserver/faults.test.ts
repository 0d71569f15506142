import { afterEach, describe, expect, it } from 'vitest';
import { client, e, type Running, start } from './running.ts';
import { alice, bot, roomOf, say, text } from './small-world.ts';
import { until } from './virtual-clock.ts';

let run: Running;
afterEach(() => run.stop());

const send = (room: string, id: string, token = run.tokens.bot) =>
  run.call(token, 'PUT', `${client}/rooms/${e(room)}/send/m.room.message/${id}`, text(id));
const said = (room: string) =>
  run.homeserver.world.timeline(room).filter(({ type }) => type === 'm.room.message');
const broken = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    () => 'broken',
  );

describe('a refusal', () => {
  it('comes before the effect, for as many calls of its kind as it says', async () => {
    run = await start();
    const room = roomOf(run.homeserver.world, [bot]);
    run.homeserver.faults.set({ fault: 'refuse', call: 'send', status: 429, times: 2, retryAfterMs: 1_500 });
    for (const _ of [1, 2]) {
      const { status, headers, json } = await send(room, '1');
      expect([status, headers.get('retry-after'), json]).toEqual([
        429,
        '2',
        { errcode: 'M_LIMIT_EXCEEDED', error: expect.any(String), retry_after_ms: 1_500 },
      ]);
      expect((await run.call(run.tokens.bot, 'GET', `${client}/account/whoami`)).status).toBe(200);
    }
    expect(said(room)).toEqual([]);
    expect((await send(room, '1')).status).toBe(200);
  });

  it('can be an error of the server, of a gateway, or of every call', async () => {
    run = await start();
    const join = () => run.call(run.tokens.bot, 'POST', `${client}/join/${e('!x')}`, {});
    const { faults } = run.homeserver;
    faults.set({ fault: 'refuse', call: 'join', status: 500 });
    expect(await join()).toMatchObject({ status: 500, json: { errcode: 'M_UNKNOWN' } });
    faults.set({ fault: 'refuse', call: 'join', status: 403 });
    expect(await join()).toMatchObject({ status: 403, json: { errcode: 'M_FORBIDDEN' } });
    faults.set({ fault: 'refuse', call: 'any', status: 502 });
    expect((await run.call(undefined, 'GET', '/_dev/faults')).json.refusals).toHaveLength(1);
    expect(await join()).toMatchObject({ status: 502, json: '<html><body>502</body></html>' });
    expect((await join()).status).toBe(404);
  });
});

describe('a lost answer', () => {
  it.each(['close', '504'] as const)('(%s) leaves the effect, and the id still makes it one', async (how) => {
    run = await start();
    const room = roomOf(run.homeserver.world, [bot]);
    run.homeserver.faults.set({ fault: 'lose-answers', how });
    const answer = send(room, '1');
    if (how === 'close') expect(await broken(answer)).toBe('broken');
    else expect((await answer).status).toBe(504);
    expect(said(room)).toHaveLength(1);
    expect((await send(room, '1')).json.event_id).toBe(said(room)[0]?.id);
  });

  it('makes a second message when the ids are forgotten too', async () => {
    run = await start();
    const room = roomOf(run.homeserver.world, [bot]);
    run.homeserver.faults.set({ fault: 'lose-answers' });
    expect(await broken(send(room, '1'))).toBe('broken');
    run.homeserver.faults.set({ fault: 'forget-transactions' });
    await send(room, '1');
    expect(said(room)).toHaveLength(2);
  });

  it('is of a kind of call, and only of one that took effect', async () => {
    run = await start();
    const room = roomOf(run.homeserver.world, [bot]);
    run.homeserver.faults.set({ fault: 'lose-answers', call: 'redact' });
    const id = (await send(room, '1')).json.event_id as string;
    const redact = (event: string) =>
      run.call(run.tokens.bot, 'PUT', `${client}/rooms/${e(room)}/redact/${e(event)}/2`, {});
    expect((await redact('$no')).status).toBe(404);
    expect(await broken(redact(id))).toBe('broken');
    expect(run.homeserver.world.event(bot, room, id).content).toEqual({});
  });
});

describe('faults of pushing', () => {
  it('are set by the same commands', async () => {
    run = await start();
    const { world, faults, pusher } = run.homeserver;
    const room = roomOf(world, [bot]);
    await pusher.idle();
    const heard = () =>
      run.receiver
        .transactions()
        .flatMap(({ body }) => body.events!.map(({ content }) => content.body))
        .filter(Boolean);
    faults.set({ fault: 'echoes', mode: 'hold' });
    say(world, bot, room, 'mine');
    const theirs = say(world, alice, room, 'theirs');
    await pusher.idle();
    faults.set({ fault: 'redeliver', room, event: theirs });
    await pusher.idle();
    expect(heard()).toEqual(['theirs', 'theirs']);
    faults.set({ fault: 'echoes', mode: 'pass' });
    await pusher.idle();
    faults.set({ fault: 'restart' });
    pusher.pause();
    for (const body of ['1', '2', '3', '4', '5', '6']) say(world, alice, room, body);
    faults.set({ fault: 'repartition' });
    const before = run.receiver.transactions().length;
    pusher.resume();
    await pusher.idle();
    expect(heard().slice(2)).toEqual(['mine', '1', '2', '3', '4', '5', '6']);
    const parts = run.receiver.transactions().slice(before);
    expect(parts[0]?.url).toBe('/_matrix/app/v1/transactions/1');
    expect(parts.length).toBeGreaterThan(1);
  });
});

describe('being down', () => {
  it('closes every connection, pushes nothing, and ends', async () => {
    run = await start();
    const { world, faults, pusher } = run.homeserver;
    const room = roomOf(world, [bot]);
    await pusher.idle();
    const { json: first } = await run.call(run.tokens.alice, 'GET', `${client}/sync`);
    const waiting = broken(
      run.call(run.tokens.alice, 'GET', `${client}/sync?timeout=30000&since=${first.next_batch}`),
    );
    await until(() => run.clock.sleepers() === 1);
    const delivered = run.receiver.transactions().length;
    faults.set({ fault: 'down', down: true });
    expect(await waiting).toBe('broken');
    expect(await broken(send(room, '1'))).toBe('broken');
    say(world, alice, room, 'unheard');
    expect((await run.call(undefined, 'GET', '/_dev/faults')).json.isDown).toBe(true);
    expect(run.receiver.transactions()).toHaveLength(delivered);
    faults.set({ fault: 'down', down: false });
    await pusher.idle();
    expect(run.receiver.transactions()).toHaveLength(delivered + 1);
    expect((await send(room, '1')).status).toBe(200);
  });
});

describe('faults over HTTP', () => {
  const post = (body: unknown) => run.call(undefined, 'POST', '/_dev/faults', body);

  it('are set, shown and cleared', async () => {
    run = await start();
    const set = { fault: 'refuse', call: 'send', status: 500, times: 3 };
    expect((await post(set)).json).toEqual({ refusals: [set], losses: [], isDown: false });
    await post({ fault: 'lose-answers', times: 2 });
    expect((await run.call(undefined, 'GET', '/_dev/faults')).json.losses).toHaveLength(1);
    await post({ fault: 'down', down: true });
    expect((await post({ fault: 'clear' })).json).toEqual({ refusals: [], losses: [], isDown: false });
    expect((await send(roomOf(run.homeserver.world, [bot]), '1')).status).toBe(200);
  });

  it('are refused when they are none, or come as a form of another page', async () => {
    run = await start();
    expect((await post({ fault: 'earthquake' })).status).toBe(400);
    expect((await post({ fault: 'refuse', call: 'send', status: 200 })).status).toBe(400);
    expect((await post('{"fault":"down","down":true}')).status).toBe(400);
    expect((await post({ fault: 'redeliver', room: '!no', event: '$no' })).status).toBe(404);
    expect(() => run.homeserver.faults.set({ fault: 'refuse', call: 'send', status: 200 })).toThrow();
    expect(run.homeserver.faults.current()).toEqual({ refusals: [], losses: [], isDown: false });
    const { headers } = await post({ fault: 'clear' });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});
