/** A deferred decision: five tries in one invocation, then the event ends without an answer; decided, it is run at once. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { matrixTurnId } from '../../functions/turns/ids.ts';
import { bury } from '../../functions/work/bury.ts';
import { ANA, MENTION } from './people.ts';
import { Shop } from './shop.ts';

/** A message whose room could not be read when it came. */
async function deferred() {
  const shop = new Shop();
  shop.away = true;
  const event = shop.send(shop.group, ANA, 'hello', MENTION);
  await shop.push(shop.group, event);
  const record = () => recordOf(shop.gate.get(keys.record(shop.group, event)));
  return { shop, event, record, turn: matrixTurnId(shop.group, event) };
}

describe('a deferred event', () => {
  it('is decided by the worker, which runs the turn in the same message', async () => {
    const { shop, turn, record } = await deferred();
    shop.away = false;
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect(record()).toMatchObject({ decided: { reason: 'mentioned' }, finished: true });
    expect(shop.head(turn).status).toBe('complete');
    expect([shop.bodies(shop.group), shop.queues.turns]).toEqual([['ana said: hello'], []]);
  });

  it('is tried five times, with growing pauses, until the homeserver is back', async () => {
    const { shop, record } = await deferred();
    const begun = shop.clock.monotonic();
    const tries: number[] = [];
    const count = () => void tries.push(shop.clock.monotonic() - begun);
    for (let n = 0; n < 9; n++) shop.before('creation', count);
    const working = shop.receive();
    await shop.clock.advance(21_500);
    expect(record().decided).toBeUndefined();
    shop.away = false;
    await shop.finish(working);
    expect(tries.map((at) => Math.round(at / 1_000))).toEqual([0, 1, 5, 21, 81]);
    expect(record().decided).toMatchObject({ reason: 'mentioned' });
    expect(shop.bodies(shop.group)).toEqual(['ana said: hello']);
  });

  it('ends without an answer after the fifth, logged and counted, by its id only', async () => {
    const { shop, turn, record } = await deferred();
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect(record()).toMatchObject({ decided: { reason: 'room-unreadable' }, finished: true });
    expect([shop.turns.all(), shop.memory.all()]).toEqual([[], []]);
    expect(shop.counted.get('UnreadableRooms')).toBe(1);
    expect(shop.logged.join()).not.toContain('hello');
    shop.away = false;
    await shop.run();
    expect(shop.turns.get({ pk: turn, sk: 'HEAD' })).toBeUndefined();
  });

  it('is given back if the invocation has not the time for the next pause', async () => {
    const { shop, record } = await deferred();
    expect(await shop.finish(shop.receive('turns', 63_000))).toEqual({ kind: 'again', seconds: 30 });
    expect(record().decided).toBeUndefined();
  });

  it('that is redacted meanwhile is no turn', async () => {
    const { shop, event, record } = await deferred();
    shop.away = false;
    await shop.push(shop.group, shop.rooms.redact(ANA, shop.group, event));
    await shop.run();
    expect(record().finished).toBe(true);
    expect(shop.posts(shop.group)).toEqual([]);
    expect(JSON.stringify([shop.gate.all(), shop.memory.all(), shop.turns.all()])).not.toContain('hello');
  });

  it('is decided once, though its message comes twice', async () => {
    const { shop, event } = await deferred();
    shop.away = false;
    await shop.run();
    const body = JSON.stringify({ v: 1, kind: 'decide', room: shop.group, event });
    shop.queues.send('turns', 'another', body);
    expect(await shop.finish(shop.receive())).toEqual({ kind: 'done' });
    expect(shop.posts(shop.group)).toHaveLength(1);
  });
});

describe('among the dead letters', () => {
  const buried = ({ shop, event }: Awaited<ReturnType<typeof deferred>>) =>
    shop.finish(bury(shop.work, { kind: 'decide', room: shop.group, event }, shop.invocation()));

  it('an undecided one is given up', async () => {
    const one = await deferred();
    expect(await buried(one)).toEqual({ kind: 'done' });
    expect(one.record()).toMatchObject({ decided: { reason: 'room-unreadable' }, finished: true });
    expect(one.shop.turns.all()).toEqual([]);
  });

  it('a decided one is finished, and its turn closed like any dead turn', async () => {
    const one = await deferred();
    one.shop.away = false;
    one.shop.before('begin', () => new Promise<void>(() => undefined));
    one.shop.receive().catch(() => undefined);
    await one.shop.clock.advance(1_000);
    expect(one.record()).toMatchObject({ decided: { reason: 'mentioned' } });
    expect(await buried(one)).toEqual({ kind: 'done' });
    expect(one.shop.head(one.turn)).toMatchObject({ status: 'error', reason: 'dead_letter' });
    expect(one.shop.posts(one.shop.group).map(({ part }) => part)).toEqual(['note#0']);
  });
});

describe('a worker that was never told', () => {
  it('is told again by sweep, after half an hour', async () => {
    const { shop } = await deferred();
    shop.queues.turns.length = 0;
    shop.away = false;
    await shop.clock.advance(29 * 60_000);
    await shop.finish(finishUndone(shop.inbox, () => false));
    expect(shop.queues.turns).toEqual([]);
    await shop.clock.advance(2 * 60_000);
    await shop.finish(finishUndone(shop.inbox, () => false));
    await shop.run();
    // Not stale: its age is that of when it first came.
    expect(shop.bodies(shop.group)).toEqual(['ana said: hello']);
  });
});
