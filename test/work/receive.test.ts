/** Who runs a turn: what a worker does with a message of it, on either queue, in each state. */
import { describe, expect, it } from 'vitest';
import { getMeta } from '../../functions/turns/meta.ts';
import { takeRun } from '../../functions/turns/run.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { begin, takeOver } from '../../functions/turns/takeover.ts';
import type { QueueName } from '../model/queues.ts';
import { Shop } from './shop.ts';

const done = { kind: 'done' };
const again = (seconds: number) => ({ kind: 'again', seconds });
const UNKNOWN = 'unknown'.padEnd(22, 'x');

async function queued() {
  const shop = new Shop();
  const turn = await shop.ask('hello');
  shop.queues.turns.length = 0;
  const { conversation } = (await getMeta(shop.work.table, turn))!;
  return { shop, turn, conversation };
}

/** Another message of the turn, received at once. */
function message(shop: Shop, turn: string, queue: QueueName = 'turns', remainingMs?: number) {
  shop.queues.send(queue, `group ${shop.clock.now()}`, JSON.stringify({ v: 1, kind: 'turn', turn }));
  return shop.receive(queue, remainingMs);
}
const handled = (...given: Parameters<typeof message>) => given[0].finish(message(...given));

describe('a turn nobody knows', () => {
  it('is dropped and counted, and never made', async () => {
    const shop = new Shop();
    expect(await handled(shop, UNKNOWN)).toEqual(done);
    expect([shop.counted.get('UnknownTurns'), shop.turns.all()]).toEqual([1, []]);
  });

  it('is waited for by its watchdog until a minute after that was sent', async () => {
    const shop = new Shop();
    expect(await handled(shop, UNKNOWN, 'watchdog')).toEqual(again(15));
    await shop.clock.advance(45_000);
    expect(await shop.finish(shop.receive('watchdog'))).toEqual(again(15));
    await shop.clock.advance(16_000);
    expect(await shop.finish(shop.receive('watchdog'))).toEqual(done);
    expect(shop.counted.get('UnknownTurns')).toBe(1);
  });

  it('is one that is over its time, too', async () => {
    const { shop, turn } = await queued();
    await shop.change(turn, { expires: 1 });
    expect(await handled(shop, turn)).toEqual(done);
    expect(shop.head(turn).status).toBe('queued');
  });
});

describe('a turn of another release’s format', () => {
  it('is not touched', async () => {
    const { shop, turn } = await queued();
    await shop.change(turn, { format: 2 });
    const before = shop.turns.all();
    expect(await handled(shop, turn)).toEqual(again(60));
    expect(shop.turns.all()).toEqual(before);
  });
});

describe('a turn that is over', () => {
  it('is done with', async () => {
    const { shop, turn } = await queued();
    expect(await handled(shop, turn)).toEqual(done);
    expect(shop.head(turn).status).toBe('complete');
    for (const queue of ['turns', 'watchdog'] as const)
      expect(await handled(shop, turn, queue)).toEqual(done);
    expect(shop.posts()).toHaveLength(1);
  });

  it('as an error without its note gets it first, from either queue', async () => {
    for (const queue of ['turns', 'watchdog'] as const) {
      const { shop, turn } = await queued();
      await shop.change(turn, { status: 'error', reason: 'model_unavailable', shard: null, dueAt: null });
      expect(await handled(shop, turn, queue)).toEqual(done);
      expect(shop.bodies()).toEqual([`I could not answer: the model is unavailable. ${turn}`]);
    }
  });
});

describe('a healthy owner', () => {
  it('is waited for: the message is done when the turn is', async () => {
    const { shop, turn } = await queued();
    const slow = await shop.ask('count to 20');
    const working = shop.receive();
    await shop.clock.advance(2_000);
    let over = false;
    const beside = message(shop, slow).then((outcome) => {
      over = true;
      return outcome;
    });
    await shop.clock.advance(10_000);
    expect(over).toBe(false);
    expect(await shop.finish(working)).toEqual(done);
    expect(await shop.finish(beside)).toEqual(done);
    expect(shop.posts()).toHaveLength(1);
    expect(turn).not.toBe(slow);
  });

  it('is left alone by the watchdog', async () => {
    const { shop, turn } = await queued();
    await begin(shop.work, turn, shop.head(turn));
    expect(await handled(shop, turn, 'watchdog')).toEqual(again(15));
    expect(shop.head(turn).attempt).toBe(1);
  });

  it('outlasts the invocation: the message is given back', async () => {
    const { shop, turn } = await queued();
    await begin(shop.work, turn, shop.head(turn));
    const waiting = message(shop, turn, 'turns', 90_000);
    for (let second = 0; second < 40; second++) {
      await shop.change(turn, { leaseEnd: shop.clock.now() + 10_000 });
      await shop.clock.advance(1_000);
    }
    expect(await shop.finish(waiting)).toEqual(again(5));
    expect(shop.head(turn)).toMatchObject({ status: 'running', attempt: 1 });
  });
});

describe('the watchdog', () => {
  it('leaves a queued turn and one that waits to their own messages', async () => {
    const { shop, turn } = await queued();
    expect(await handled(shop, turn, 'watchdog')).toEqual(again(15));
    const asking = await shop.ask('ask me first: paint it');
    await shop.run();
    expect(shop.head(asking).status).toBe('waiting');
    expect(await handled(shop, asking, 'watchdog')).toEqual(again(15));
  });

  it('takes over a turn whose lease is over', async () => {
    const { shop, turn } = await queued();
    await begin(shop.work, turn, shop.head(turn));
    await shop.clock.advance(13_000);
    expect(await handled(shop, turn, 'watchdog')).toEqual(done);
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 2 });
    expect(shop.counted.get('Takeovers')).toBe(1);
  });
});

describe('a dead owner', () => {
  it('is replaced three attempts long, then the turn ends', async () => {
    const { shop, turn } = await queued();
    await begin(shop.work, turn, shop.head(turn));
    for (let attempt = 2; attempt <= 3; attempt++) {
      await shop.clock.advance(13_000);
      await takeOver(shop.work, turn, shop.head(turn));
    }
    await shop.clock.advance(13_000);
    expect(await handled(shop, turn)).toEqual(done);
    expect(shop.head(turn)).toMatchObject({ attempt: 4, status: 'error', reason: 'attempts_exhausted' });
    expect(shop.bodies()).toEqual([`I could not answer: it broke off several times. ${turn}`]);
  });

  it('is not counted by how often the message was received', async () => {
    const { shop, turn } = await queued();
    await shop.change(turn, { format: 2 });
    for (let n = 0; n < 6; n++) {
      await handled(shop, turn);
      await shop.clock.advance(61_000);
    }
    await shop.change(turn, { format: 1 });
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
  });

  it('that was asked to stop leaves a turn that ends as that', async () => {
    const { shop, turn } = await queued();
    await begin(shop.work, turn, shop.head(turn));
    await shop.change(turn, { cancelAsked: shop.clock.now() });
    await shop.clock.advance(13_000);
    expect(await handled(shop, turn)).toEqual(done);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'stopped', attempt: 2 });
    expect(shop.posts()).toEqual([]);
  });
});

describe('a conversation that another turn holds', () => {
  const held = async () => {
    const { shop, turn, conversation } = await queued();
    const holder = 'holder'.padEnd(22, 'x');
    const meta = (await getMeta(shop.work.table, turn))!;
    await createQueued(shop.work.table, holder, { ...meta, source: { kind: 'http' }, order: '0' });
    await takeRun(shop.work, conversation, holder);
    await begin(shop.work, holder, shop.head(holder));
    return { shop, turn, holder };
  };

  it('is waited for', async () => {
    const { shop, turn, holder } = await held();
    const waiting = message(shop, turn);
    await shop.clock.advance(5_000);
    expect(shop.head(turn).status).toBe('queued');
    await shop.change(holder, { status: 'complete' });
    expect(await shop.finish(waiting)).toEqual(done);
    expect(shop.head(turn).status).toBe('complete');
  });

  it('by a turn whose owner seems dead: a worker is sent for, once', async () => {
    const { shop, turn, holder } = await held();
    await shop.clock.advance(13_000);
    const waiting = message(shop, turn);
    await shop.clock.advance(5_000);
    expect(shop.queues.watchdog).toHaveLength(1);
    expect(shop.head(holder).nudged).toBe(1);
    await shop.finish(shop.receive('watchdog'));
    expect(shop.head(holder)).toMatchObject({ status: 'complete', attempt: 2 });
    expect(await shop.finish(waiting)).toEqual(done);
    expect(shop.head(turn).status).toBe('complete');
  });

  it('is waited for by the watchdog in its queue', async () => {
    const { shop, turn } = await held();
    await begin(shop.work, turn, shop.head(turn));
    await shop.clock.advance(13_000);
    expect(await handled(shop, turn, 'watchdog')).toEqual(again(15));
  });
});

describe('a worker that lost its turn', () => {
  it('reports its message as failed, so that it is seen again', async () => {
    const { shop, turn } = await queued();
    shop.before('append plain', async () => {
      await shop.change(turn, { attempt: 2, leaseEnd: shop.clock.now() + 60_000 });
    });
    expect(await handled(shop, turn)).toEqual(again(1));
    expect(shop.posts()).toEqual([]);
  });
});
