import { afterEach, describe, expect, it } from 'vitest';
import { dendrite } from '../../../../bin/dev/homeserver/push/dendrite.ts';
import { type Pusher, startPusher } from '../../../../bin/dev/homeserver/push/pusher.ts';
import type { ServiceAnswer } from '../../../../bin/dev/homeserver/push/service-client.ts';
import type { Style } from '../../../../bin/dev/homeserver/push/style.ts';
import { synapse } from '../../../../bin/dev/homeserver/push/synapse.ts';
import { alice, bot, faultOf, roomOf, say, smallWorld } from '../small-world.ts';
import { seededRandom, settled } from '../virtual-clock.ts';

const pushers: Pusher[] = [];
afterEach(async () => {
  for (const pusher of pushers.splice(0)) await pusher.stop();
});

const ok: ServiceAnswer = { kind: 'answered', status: 200, body: '{}' };
const failed: ServiceAnswer = { kind: 'answered', status: 500, body: '{}' };

/** A service that answers what it is told to; `hold` keeps the next transaction until it is answered by hand. */
function start(style: Style = synapse) {
  const { world, clock } = smallWorld();
  const room = roomOf(world, [bot]);
  const begun = clock.now();
  const tries: { id: string; at: number; bodies: unknown[]; ids: unknown[] }[] = [];
  let answer: ServiceAnswer = ok;
  let held: PromiseWithResolvers<ServiceAnswer> | undefined;
  const pusher = startPusher({
    world,
    style,
    clock,
    random: seededRandom(),
    backoffScale: 1,
    client: {
      async transaction(id, body, signal) {
        const bodies = body.events.map(({ content }) => (content as { body?: string }).body);
        tries.push({ id, at: clock.now() - begun, bodies, ids: body.events.map(({ event_id }) => event_id) });
        if (!held) return answer;
        signal.addEventListener('abort', () => held?.resolve({ kind: 'failed', reason: 'aborted' }));
        return held.promise.finally(() => {
          held = undefined;
        });
      },
    },
  });
  pushers.push(pusher);
  return {
    world,
    clock,
    room,
    pusher,
    tries,
    say: (body: string, user = alice) => say(world, user, room, body),
    answerWith: (next: ServiceAnswer) => {
      answer = next;
    },
    hold: () => {
      held = Promise.withResolvers();
      return (with_: ServiceAnswer) => held?.resolve(with_);
    },
  };
}

describe('the pusher', () => {
  it('delivers at once, one transaction in flight', async () => {
    const { pusher, tries, say, hold } = start();
    const release = hold();
    say('1');
    await settled();
    say('2');
    say('3');
    await settled();
    expect(tries).toHaveLength(1);
    release(ok);
    await pusher.idle();
    expect(tries.map(({ id, bodies }) => [id, bodies])).toEqual([
      ['1', ['1']],
      ['2', ['2', '3']],
    ]);
  });

  it('waits 2, 4, 8, 16 s between failures, and not at all after a success', async () => {
    const { clock, pusher, tries, say, answerWith } = start();
    answerWith(failed);
    say('1');
    await clock.advance(29_999);
    expect(tries.map(({ at }) => at)).toEqual([0, 2_000, 6_000, 14_000]);
    expect(new Set(tries.map(({ id }) => id))).toEqual(new Set(['1']));
    answerWith(ok);
    say('2');
    await clock.advance(1);
    await pusher.idle();
    expect(tries.slice(4).map(({ id, at }) => [id, at])).toEqual([
      ['1', 30_000],
      ['2', 30_000],
    ]);
    answerWith(failed);
    say('3');
    await clock.advance(2_000);
    expect(tries.slice(6).map(({ at }) => at)).toEqual([30_000, 32_000]);
  });

  it('tries again after a time-out or a broken connection', async () => {
    const { clock, tries, say, answerWith } = start();
    answerWith({ kind: 'timeout' });
    say('1');
    await clock.advance(2_000);
    answerWith({ kind: 'failed', reason: 'reset' });
    await clock.advance(4_000);
    expect(tries.map(({ at }) => at)).toEqual([0, 2_000, 6_000]);
  });

  it('ends the pause at once when a ping succeeded', async () => {
    const { clock, pusher, tries, say, answerWith } = start();
    answerWith(failed);
    say('1');
    await clock.advance(7_000);
    answerWith(ok);
    pusher.retryNow();
    await pusher.idle();
    expect(tries.map(({ at }) => at)).toEqual([0, 2_000, 6_000, 7_000]);
  });

  it('starts again at 1, breaking off what is in flight, and rests 2 s before the backlog', async () => {
    const { clock, pusher, tries, say, hold } = start();
    say('0');
    await pusher.idle();
    hold();
    say('1');
    await settled();
    say('lost');
    pusher.restart();
    pusher.retryNow();
    await clock.advance(10_000);
    expect(tries).toHaveLength(2);
    say('2');
    await clock.advance(1_999);
    expect(tries).toHaveLength(2);
    await clock.advance(1);
    await pusher.idle();
    expect(tries.slice(1).map(({ id, bodies }) => [id, bodies])).toEqual([
      ['2', ['1']],
      ['2', ['1']],
      ['3', ['2']],
    ]);
    pusher.restart();
    say('3');
    await pusher.idle();
    expect(tries.at(-1)).toMatchObject({ id: '1', bodies: ['3'] });
  });

  it('after a kill sends what is new at once, and what was in flight after the next outage', async () => {
    const { clock, pusher, tries, say, hold, answerWith } = start();
    hold();
    say('old');
    await settled();
    pusher.restart({ killed: true });
    await settled();
    say('new');
    await pusher.idle();
    expect(tries.map(({ id, bodies, at }) => [id, bodies, at])).toEqual([
      ['1', ['old'], 0],
      ['2', ['new'], 0],
    ]);
    answerWith(failed);
    say('newer');
    await settled();
    answerWith(ok);
    await clock.advance(2_000);
    await pusher.idle();
    expect(tries.slice(2).map(({ bodies }) => bodies)).toEqual([['newer'], ['old'], ['newer']]);
  });

  it('sends nothing while it is paused or out of reach', async () => {
    const { pusher, tries, say } = start();
    pusher.pause();
    say('1');
    await settled();
    pusher.setReachable(false);
    pusher.resume();
    await settled();
    expect(tries).toEqual([]);
    pusher.setReachable(true);
    await pusher.idle();
    expect(tries).toHaveLength(1);
  });

  it('delivers an event again in another transaction', async () => {
    const { pusher, tries, say, room } = start();
    const id = say('1');
    await pusher.idle();
    pusher.redeliver(room, id);
    await pusher.idle();
    expect(tries.map((one) => [one.id, one.ids])).toEqual([
      ['1', [id]],
      ['2', [id]],
    ]);
    expect(faultOf(() => pusher.redeliver(room, '$no')).status).toBe(404);
  });

  it('ends its idle waits when it stops in mid-transaction', async () => {
    const { pusher, say, hold } = start(dendrite);
    hold();
    say('1');
    await settled();
    const idle = pusher.idle();
    await pusher.stop();
    await idle;
  });
});

describe('echoes', () => {
  const echo = (run: ReturnType<typeof start>, body: string) => run.say(body, bot);
  const heard = (run: ReturnType<typeof start>) => run.tries.flatMap(({ bodies }) => bodies);

  it('are dropped, others not', async () => {
    const run = start();
    run.pusher.treatEchoes({ mode: 'drop' });
    echo(run, 'mine');
    run.say('theirs');
    await run.pusher.idle();
    run.pusher.treatEchoes({ mode: 'pass' });
    echo(run, 'mine again');
    await run.pusher.idle();
    expect(heard(run)).toEqual(['theirs', 'mine again']);
  });

  it('are held until another treatment, while others pass them', async () => {
    const run = start();
    run.pusher.treatEchoes({ mode: 'hold' });
    echo(run, 'mine');
    run.say('theirs');
    await run.pusher.idle();
    expect(heard(run)).toEqual(['theirs']);
    run.pusher.treatEchoes({ mode: 'pass' });
    await run.pusher.idle();
    expect(heard(run)).toEqual(['theirs', 'mine']);
  });

  it('are delayed, and waited for by idle', async () => {
    const run = start();
    run.pusher.treatEchoes({ mode: 'delay', ms: 300 });
    echo(run, 'mine');
    run.say('theirs');
    let isIdle = false;
    const idle = run.pusher.idle().then(() => {
      isIdle = true;
    });
    await run.clock.advance(299);
    expect([heard(run), isIdle]).toEqual([['theirs'], false]);
    await run.clock.advance(1);
    await idle;
    expect(heard(run)).toEqual(['theirs', 'mine']);
  });

  it('that are still delayed at the end are given up', async () => {
    const run = start();
    run.pusher.treatEchoes({ mode: 'delay', ms: 300 });
    echo(run, 'mine');
    await settled();
    await run.pusher.stop();
    expect(run.clock.sleepers()).toBe(0);
    expect(run.tries).toEqual([]);
  });
});
