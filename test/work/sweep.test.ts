/** What `sweep` does to turns that nobody came back for, by date and among the dead letters. */
import { describe, expect, it } from 'vitest';
import type { Row } from '../../functions/runtime/table.ts';
import { headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { takeRun } from '../../functions/turns/run.ts';
import { begin } from '../../functions/turns/takeover.ts';
import { bury } from '../../functions/work/bury.ts';
import type { WorkMessage } from '../../functions/work/handle.ts';
import { sweepTurns } from '../../functions/work/sweep.ts';
import { ANA } from './people.ts';
import { Shop } from './shop.ts';

const MINUTE = 60_000;

const sweep = (shop: Shop, remainingMs?: number) =>
  shop.finish(sweepTurns(shop.work, shop.invocation(remainingMs)));
const buried = (shop: Shop, message: WorkMessage, remainingMs?: number) =>
  shop.finish(bury(shop.work, message, shop.invocation(remainingMs)));
const bury1 = (shop: Shop, turn: string) => buried(shop, { kind: 'turn', turn });

/** A queued turn whose message is lost. */
async function lost(shop = new Shop()) {
  const turn = await shop.ask('hello');
  shop.queues.turns.length = 0;
  return { shop, turn };
}

describe('a queued turn', () => {
  it('is sent again after 25 minutes, three times ten minutes apart, then ends as never started', async () => {
    const { shop, turn } = await lost();
    await shop.clock.advance(24 * MINUTE);
    expect(await sweep(shop)).toBe(0);
    for (let n = 0; n < 3; n++) {
      await shop.clock.advance(n === 0 ? 2 * MINUTE : 10 * MINUTE + 1);
      expect(await sweep(shop)).toBe(1);
      expect(await sweep(shop)).toBe(0);
      expect(shop.queues.turns).toHaveLength(1);
      expect(shop.head(turn)).toMatchObject({ status: 'queued', nudged: n + 1 });
      shop.queues.turns.length = 0;
    }
    await shop.clock.advance(10 * MINUTE + 1);
    await sweep(shop);
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'never_started' });
    expect(shop.bodies()).toEqual([`I could not answer: no worker could start it. ${turn}`]);
    // The message that would have seen to the note finds it sent.
    await shop.run();
    expect(shop.posts()).toHaveLength(1);
  });

  it('that is sent again is answered', async () => {
    const { shop, turn } = await lost();
    await shop.clock.advance(26 * MINUTE);
    await sweep(shop);
    await shop.run();
    expect([shop.head(turn).status, shop.bodies()]).toEqual(['complete', ['ana said: hello']]);
  });

  it('behind an earlier one waits for it', async () => {
    const { shop, turn } = await lost();
    const second = await shop.ask('second');
    shop.queues.turns.length = 0;
    await shop.clock.advance(26 * MINUTE);
    await sweep(shop);
    expect(shop.queues.turns).toHaveLength(1);
    expect(shop.head(second)).toMatchObject({ status: 'queued', nudged: undefined });
    expect(shop.head(second).dueAt).toBe(shop.clock.now() + 10 * MINUTE);
    await shop.run();
    expect([shop.head(turn).status, shop.head(second).reason]).toEqual(['complete', 'merged']);
  });

  it('whose conversation another turn holds waits, and does not wait for one that asks', async () => {
    for (const [status, waits] of [
      ['running', true],
      ['queued', true],
      ['waiting', false],
      ['complete', false],
    ] as const) {
      const { shop, turn } = await lost();
      const { conversation } = (await getMeta(shop.work.table, turn))!;
      const holder = 'the-holder'.padEnd(22, 'x');
      await takeRun(shop.work, conversation, holder);
      const { sh: _, du: __, ...queued } = shop.turns.get(keys.head(turn))!;
      const row = { ...queued, ...headChange({ status }).set, ...keys.head(holder) } as Row;
      shop.turns.put({ op: 'holder', row });
      await shop.clock.advance(26 * MINUTE);
      await sweep(shop);
      expect([status, shop.queues.turns.length]).toEqual([status, waits ? 0 : 1]);
    }
  });

  it('that starts in the same moment is left', async () => {
    const { shop, turn } = await lost();
    await shop.clock.advance(26 * MINUTE);
    shop.before('sweep moves due', async () => void (await begin(shop.work, turn, shop.head(turn))));
    await sweep(shop);
    expect(shop.head(turn)).toMatchObject({ status: 'running', nudged: undefined, dueAt: undefined });
  });
});

describe('a delivery whose hour is over', () => {
  const delivering = async (paused: boolean) => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    shop.before('append delivering', () => {
      shop.away = true;
    });
    if (paused) await shop.finish(shop.receive('turns', 100_000));
    else {
      shop.before('part', () => new Promise<void>(() => undefined));
      const stuck = shop.receive();
      await shop.clock.advance(MINUTE);
      stuck.catch(() => undefined);
    }
    shop.away = false;
    return { shop, turn };
  };

  it.each([true, false])('ends, paused %s', async (paused) => {
    const { shop, turn } = await delivering(paused);
    shop.before('beat', () => new Promise<void>(() => undefined));
    await shop.clock.advance(50 * MINUTE);
    expect(await sweep(shop)).toBe(0);
    await shop.clock.advance(11 * MINUTE);
    await sweep(shop);
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'delivery_failed' });
    expect(shop.bodies()).toEqual([`I could not answer: the answer could not be delivered. ${turn}`]);
  });

  it('with a living owner is left to it', async () => {
    const { shop, turn } = await delivering(false);
    await shop.clock.advance(61 * MINUTE);
    await sweep(shop);
    expect(shop.head(turn)).toMatchObject({ status: 'running', phase: 'delivering' });
  });
});

describe('a note whose room is away', () => {
  it('is sent by the message that went before the close', async () => {
    const { shop, turn } = await lost();
    await shop.change(turn, { nudged: 3 });
    await shop.clock.advance(26 * MINUTE);
    shop.away = true;
    await sweep(shop, 150_000);
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'never_started' });
    expect(shop.queues.turns).toHaveLength(1);
    shop.away = false;
    await shop.run();
    expect(shop.bodies()).toEqual([`I could not answer: no worker could start it. ${turn}`]);
  });

  it('stands in the thread, or quotes in a group', async () => {
    const shop = new Shop();
    await shop.ask('fail', { room: shop.group });
    const asked = shop.rooms.timeline(shop.group).at(-1)!.id;
    await shop.run();
    expect(shop.posts(shop.group)[0]!.content['m.relates_to']).toEqual({
      'm.in_reply_to': { event_id: asked },
    });
  });
});

describe('sweep itself', () => {
  it('goes on with the others when one fails', async () => {
    const shop = new Shop();
    const turns = [await shop.ask('one'), await shop.ask('two', { room: shop.group })];
    shop.queues.turns.length = 0;
    await shop.clock.advance(26 * MINUTE);
    shop.before('sweep moves due', () => {
      throw new Error('odd');
    });
    expect(await sweep(shop)).toBe(2);
    expect(shop.counted.get('SweepErrors')).toBe(1);
    expect(turns.filter((turn) => shop.head(turn).nudged === 1)).toHaveLength(1);
  });

  it('ends in time', async () => {
    const { shop } = await lost();
    await shop.clock.advance(26 * MINUTE);
    expect(await sweep(shop, 80_000)).toBe(0);
  });
});

describe('a dead letter', () => {
  it('of a turn closes it and tells the room', async () => {
    const { shop, turn } = await lost();
    expect(await bury1(shop, turn)).toEqual({ kind: 'done' });
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'dead_letter' });
    expect(shop.bodies()).toEqual([`I could not answer: no worker could finish it. ${turn}`]);
    expect(await bury1(shop, turn)).toEqual({ kind: 'done' });
    expect(shop.posts()).toHaveLength(1);
  });

  it('of a turn that somebody runs is left for a minute, and of an orphan is not', async () => {
    const { shop, turn } = await lost();
    await begin(shop.work, turn, shop.head(turn));
    expect(await bury1(shop, turn)).toEqual({ kind: 'again', seconds: 60 });
    expect(shop.head(turn).status).toBe('running');
    await shop.clock.advance(MINUTE);
    expect(await bury1(shop, turn)).toEqual({ kind: 'done' });
    expect(shop.head(turn)).toMatchObject({ status: 'error', attempt: 2 });
  });

  it('of a turn that asks makes sure that it has asked, and no more', async () => {
    const shop = new Shop();
    const turn = await shop.ask('ask me first: paint it');
    shop.before('append waiting', () => {
      shop.away = true;
    });
    await shop.finish(shop.receive('turns', 100_000));
    shop.away = false;
    expect(await bury1(shop, turn)).toEqual({ kind: 'done' });
    expect(shop.head(turn).status).toBe('waiting');
    expect(shop.posts().map(({ part }) => part)).toEqual([`ask#${shop.head(turn).tail}`]);
  });

  it('whose note can’t be sent is seen again', async () => {
    const { shop, turn } = await lost();
    shop.away = true;
    expect(await buried(shop, { kind: 'turn', turn }, 90_000)).toEqual({ kind: 'again', seconds: 60 });
    expect(shop.head(turn).status).toBe('error');
    shop.away = false;
    expect(await bury1(shop, turn)).toEqual({ kind: 'done' });
    expect(shop.posts()).toHaveLength(1);
  });

  it('of a turn nobody knows is counted', async () => {
    const shop = new Shop();
    expect(await bury1(shop, 'unknown'.padEnd(22, 'x'))).toEqual({ kind: 'done' });
    expect(shop.counted.get('UnknownTurns')).toBe(1);
    expect(shop.turns.all()).toEqual([]);
  });

  it('of a room to join or a notice is counted', async () => {
    const shop = new Shop();
    const event = { room: shop.direct, event: '$e' };
    await buried(shop, { kind: 'join', ...event, by: ANA, since: 0 });
    await buried(shop, { kind: 'notice', ...event, notice: { kind: 'stale', window: '1' } });
    expect([shop.counted.get('Dead_join'), shop.counted.get('Dead_notice')]).toEqual([1, 1]);
    expect(shop.posts()).toEqual([]);
  });
});
