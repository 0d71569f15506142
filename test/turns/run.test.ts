/** RUN: one running turn a conversation, whoever holds it, and what becomes of a holder that does not run. */
import { describe, expect, it } from 'vitest';
import { headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { createPump } from '../../functions/turns/pump.ts';
import { runOf, takeRun } from '../../functions/turns/run.ts';
import { begin, closeForeign } from '../../functions/turns/takeover.ts';
import { CONVERSATION, queued, type Rig, START, started, turnId, turnRig } from './rig.ts';

const take = (rig: Rig, turn: string) => takeRun(rig.deps, CONVERSATION, turn);
const holder = (rig: Rig) => rig.rows.get(keys.run(CONVERSATION))!;
const held = { kind: 'held' };

describe('RUN', () => {
  it('is taken by whoever comes first, and again by the same under a fresh nonce', async () => {
    const rig = turnRig();
    expect(await take(rig, turnId('A'))).toEqual(held);
    const { nonce } = holder(rig);
    expect(await take(rig, turnId('A'))).toEqual(held);
    expect(holder(rig)).toMatchObject({ turn: turnId('A'), at: START });
    expect(holder(rig).nonce).not.toBe(nonce);
  });

  it('is another conversation’s too', async () => {
    const rig = turnRig();
    await take(rig, turnId('A'));
    expect(await takeRun(rig.deps, 'another', turnId('B'))).toEqual(held);
  });

  it.each(['queued', 'running', 'paused'])('of a turn that is %s blocks', async (state) => {
    const rig = turnRig();
    const a = state === 'queued' ? await queued(rig, 'A') : (await started(rig, 'A')).turn;
    if (state === 'paused') {
      const pump = createPump({ ...rig.deps, turn: a, head: rig.head(a), queued: true });
      await pump.deliver([{ type: 'step-end', last: true }]);
      await pump.pause();
      await pump.stop();
    }
    await take(rig, a);
    await rig.clock.advance(3_600_000);
    expect(await take(rig, turnId('B'))).toEqual({ kind: 'blocked', turn: a, head: rig.head(a) });
    expect(holder(rig).turn).toBe(a);
  });

  it('of a turn that is over is replaced', async () => {
    const rig = turnRig();
    const a = await queued(rig, 'A');
    await take(rig, a);
    await closeForeign(rig.deps, a, rig.head(a), { status: 'cancelled', reason: 'stopped' });
    expect(await take(rig, turnId('B'))).toEqual(held);
    expect(holder(rig).turn).toBe(turnId('B'));
  });

  it('of a turn that waits for a person is replaced once the holder is fenced', async () => {
    const rig = turnRig();
    const { turn: a, head } = await started(rig, 'A');
    await take(rig, a);
    const pump = createPump({ ...rig.deps, turn: a, head, queued: true });
    await pump.wait([{ type: 'step-end' }], START + 1e6);
    await pump.stop();
    const seen = rig.head(a);
    rig.before('run', () => expect(rig.head(a).batch).not.toBe(seen.batch));
    expect(await take(rig, turnId('B'))).toEqual(held);
    expect(await begin(rig.deps, a, seen)).toBe('refused');
    expect(rig.head(a)).toMatchObject({ status: 'waiting', tail: seen.tail });
  });

  it('of a holder that goes on in the same moment blocks: the fence was refused', async () => {
    const rig = turnRig();
    const { turn: a, head } = await started(rig, 'A');
    await take(rig, a);
    const pump = createPump({ ...rig.deps, turn: a, head, queued: true });
    await pump.wait([{ type: 'step-end' }], START + 1e6);
    await pump.stop();
    rig.before('fence', async () => void (await begin(rig.deps, a, rig.head(a))));
    expect(await take(rig, turnId('B'))).toMatchObject({ kind: 'blocked', turn: a });
  });

  it('of a turn without HEAD blocks for 30 s, then its HEAD is closed first', async () => {
    const rig = turnRig();
    const a = turnId('A');
    await take(rig, a);
    await rig.clock.advance(29_999);
    expect(await take(rig, turnId('B'))).toEqual({ kind: 'blocked', turn: a });
    await rig.clock.advance(1);
    rig.before('run', () => expect(rig.head(a)).toMatchObject({ status: 'cancelled' }));
    expect(await take(rig, turnId('B'))).toEqual(held);
    expect(rig.head(a)).toMatchObject({ attempt: 1, tail: 1, reason: 'never_started' });
  });

  it('of a turn whose HEAD comes just then blocks', async () => {
    const rig = turnRig();
    const a = turnId('A');
    await take(rig, a);
    await rig.clock.advance(40_000);
    rig.before('close absent', async () => void (await started(rig, 'A')));
    expect(await take(rig, turnId('B'))).toMatchObject({ kind: 'blocked', turn: a });
    expect(rig.head(a).status).toBe('running');
  });

  it('is taken once, of two that found it over', async () => {
    const rig = turnRig();
    const a = await queued(rig, 'A');
    await take(rig, a);
    await closeForeign(rig.deps, a, rig.head(a), { status: 'cancelled', reason: 'stopped' });
    const c = await queued(rig, 'C');
    rig.before('run', async () => void (await take(rig, c)));
    expect(await take(rig, turnId('B'))).toMatchObject({ kind: 'blocked', turn: c });
  });
});

describe('the holder', () => {
  it('is told if it is another turn', async () => {
    const rig = turnRig();
    const a = await queued(rig, 'A');
    expect((await runOf(rig.table, CONVERSATION, a))?.head).toBeUndefined();
    await take(rig, a);
    expect((await runOf(rig.table, CONVERSATION, a))?.head).toBeUndefined();
    expect((await runOf(rig.table, CONVERSATION, turnId('B')))?.head).toMatchObject({ status: 'queued' });
    await rig.table.update({ op: 'u', key: keys.head(a), ...headChange({ status: 'running' }) });
    expect((await runOf(rig.table, CONVERSATION, turnId('B')))?.head).toMatchObject({ status: 'running' });
    await take(rig, turnId('A'));
  });
});
