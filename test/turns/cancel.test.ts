/** A person's stop, in each state a turn can be in. */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../functions/turns/cancel.ts';
import { headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { createPump } from '../../functions/turns/pump.ts';
import { begin, closeForeign } from '../../functions/turns/takeover.ts';
import { message } from './pumping.ts';
import { queued, type Rig, START, started, turnId, turnRig } from './rig.ts';

const change = (rig: Rig, turn: string, next: Parameters<typeof headChange>[0]) =>
  rig.table.update({ op: 'change', key: keys.head(turn), ...headChange(next) });
const stop = (rig: Rig, turn: string, unstarted = false) => cancel(rig.deps, turn, 'stopped', { unstarted });
const stopping = (status: string) => ({ kind: 'stopping', status });

async function pumped(rig: Rig) {
  const { turn, head } = await started(rig, 'T');
  return { turn, pump: createPump({ ...rig.deps, turn, head, queued: true }) };
}

describe('a stop', () => {
  it('of nothing is unknown, and makes nothing', async () => {
    const rig = turnRig();
    expect(await stop(rig, turnId('none'))).toEqual({ kind: 'unknown' });
    expect(rig.rows.all()).toEqual([]);
  });

  it('of a queued turn ends it at once', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    expect(await stop(rig, turn)).toEqual(stopping('cancelled'));
    expect(rig.head(turn)).toMatchObject({ status: 'cancelled', reason: 'stopped' });
    expect(await stop(rig, turn)).toEqual(stopping('cancelled'));
  });

  it('of a running turn is asked of its owner, once', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    expect(await stop(rig, turn)).toEqual(stopping('running'));
    expect(rig.head(turn)).toMatchObject({ status: 'running', cancelAsked: START });
    await rig.clock.advance(1_000);
    expect(await stop(rig, turn)).toEqual(stopping('running'));
    expect(rig.head(turn).cancelAsked).toBe(START);
  });

  it('of an orphan is asked; asked again it ends the turn', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    await rig.clock.advance(60_000);
    expect(await stop(rig, turn)).toEqual(stopping('running'));
    expect(await stop(rig, turn)).toEqual(stopping('cancelled'));
    expect(rig.head(turn)).toMatchObject({ attempt: 2, status: 'cancelled', reason: 'stopped' });
  });

  it('of a turn that waits for a person ends it at once', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    await pump.wait([{ type: 'step-end' }], START + 1e6);
    await pump.stop();
    expect(await stop(rig, turn)).toEqual(stopping('cancelled'));
    expect(rig.head(turn)).toMatchObject({ status: 'cancelled', attempt: 2 });
  });

  it.each([
    ['running', 0],
    ['running, its lease over', 60_000],
    ['paused', -1],
  ])('of a delivery is too late, whatever the lease: %s', async (_, later) => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    await pump.deliver([{ type: 'step-end', last: true }]);
    if (later < 0) await pump.pause();
    await pump.stop();
    await rig.clock.advance(Math.max(0, later));
    expect(await stop(rig, turn)).toEqual({ kind: 'too late' });
    expect(rig.head(turn).cancelAsked).toBeUndefined();
  });

  it.each(['complete', 'error', 'cancelled'] as const)('of a turn that is %s says so', async (status) => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    await pump.close(status, message, 'why');
    expect(await stop(rig, turn)).toEqual(stopping(status));
  });

  it('that meets another change looks again', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    rig.before('close foreign', async () => void (await begin(rig.deps, turn, rig.head(turn))));
    expect(await stop(rig, turn)).toEqual(stopping('running'));
    expect(rig.head(turn)).toMatchObject({ status: 'running', cancelAsked: START });
  });

  it('beside somebody else’s end is that end', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    const end = { status: 'error', reason: 'dead_letter' } as const;
    rig.before('close foreign', async () => {
      await closeForeign(rig.deps, turn, rig.head(turn), end);
    });
    expect(await stop(rig, turn)).toEqual(stopping('error'));
  });
});

describe('a stop of what has not started', () => {
  it('is one while there is no start event', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    expect(await stop(rig, turn, true)).toEqual(stopping('running'));
  });

  it('is none behind it', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    await change(rig, turn, { safePoint: 1, tail: 1 });
    expect(await stop(rig, turn, true)).toEqual({ kind: 'started' });
    expect(rig.head(turn).cancelAsked).toBeUndefined();
    await rig.clock.advance(60_000);
    expect(await stop(rig, turn, true)).toEqual({ kind: 'started' });
  });
});
