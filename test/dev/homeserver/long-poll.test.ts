import { afterEach, describe, expect, it } from 'vitest';
import { client, type Running, start } from './running.ts';
import { alice, bob, roomOf, say } from './small-world.ts';
import { until } from './virtual-clock.ts';

let run: Running;
afterEach(() => run.stop());

const sync = (query: string, token = run.tokens.bob) => run.call(token, 'GET', `${client}/sync?${query}`);
/** A sync that is under way and waits. */
async function waiting(query: string) {
  const asleep = run.clock.sleepers();
  const answer = sync(query);
  await until(() => run.clock.sleepers() > asleep);
  return answer.then(({ json }) => json);
}

describe('a long-polling sync', () => {
  it('answers as soon as something concerns the user, and not before', async () => {
    run = await start();
    const { world } = run.homeserver;
    const [mine, other] = [roomOf(world, [bob]), roomOf(world)];
    const { json: first } = await sync('');
    let answered = false;
    const answer = sync(`since=${first.next_batch}&timeout=30000`).finally(() => {
      answered = true;
    });
    await until(() => run.clock.sleepers() === 1);
    say(world, alice, other, 'not for bob');
    await run.clock.advance(29_000);
    expect(answered).toBe(false);
    say(world, alice, mine, 'hello');
    const { json } = await answer;
    expect(json.rooms.join[mine].timeline.events[0].content.body).toBe('hello');
    expect(run.clock.sleepers()).toBe(0);
  });

  it('answers with nothing when its time is over', async () => {
    run = await start();
    const { json: first } = await sync('');
    const answer = waiting(`since=${first.next_batch}&timeout=30000`);
    await until(() => run.clock.sleepers() === 1);
    await run.clock.advance(30_000);
    expect((await answer).rooms).toEqual({ join: {}, invite: {}, leave: {} });
  });

  it('answers typing too, and takes a timeline limit from an inline filter', async () => {
    run = await start();
    const { world } = run.homeserver;
    const room = roomOf(world, [bob]);
    const { json: first } = await sync(`filter=${encodeURIComponent('{"room":{"timeline":{"limit":1}}}')}`);
    expect(first.rooms.join[room].timeline.events).toHaveLength(1);
    const answer = waiting(`since=${first.next_batch}&timeout=30000`);
    await until(() => run.clock.sleepers() === 1);
    world.setTyping(alice, room, true);
    expect((await answer).rooms.join[room].ephemeral.events).toEqual([
      { type: 'm.typing', content: { user_ids: [alice] } },
    ]);
  });

  it('does not outlive its caller or the server', async () => {
    run = await start();
    const { json: first } = await sync('');
    const leaving = new AbortController();
    const url = `${run.homeserver.url}${client}/sync?since=${first.next_batch}&timeout=30000`;
    const given = { headers: { authorization: `Bearer ${run.tokens.bob}` } };
    const left = fetch(url, { ...given, signal: leaving.signal }).catch(() => 'left');
    await until(() => run.clock.sleepers() === 1);
    leaving.abort();
    expect(await left).toBe('left');
    await until(() => run.clock.sleepers() === 0);
    const cut = fetch(url, given).catch(() => 'cut');
    await until(() => run.clock.sleepers() === 1);
    await run.homeserver.stop();
    expect(await cut).toBe('cut');
    expect(run.clock.sleepers()).toBe(0);
  });

  it('is refused with an odd token, and with 500 for the service', async () => {
    run = await start();
    expect((await sync('since=zz')).status).toBe(400);
    expect((await sync('timeout=soon')).status).toBe(400);
    expect((await sync('', run.tokens.bot)).status).toBe(500);
  });
});
