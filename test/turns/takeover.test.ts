/** How a turn begins, passes to another owner, and is ended by somebody who does not own it. */
import { describe, expect, it } from 'vitest';
import { type Head, headChange, LEASE_MS } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { createPump } from '../../functions/turns/pump.ts';
import { createQueued } from '../../functions/turns/start.ts';
import {
  begin,
  closeAbsent,
  closeForeign,
  isKnownFormat,
  QUEUED_MS,
  takeOver,
} from '../../functions/turns/takeover.ts';
import { say } from './pumping.ts';
import { metaOf, queued, type Rig, START, started, turnId, turnRig } from './rig.ts';

const change = (rig: Rig, turn: string, next: Parameters<typeof headChange>[0]) =>
  rig.table.update({ op: 'change', key: keys.head(turn), ...headChange(next) });

const unfinished = (rig: Rig) => rig.rows.all().filter(({ sk }) => sk.startsWith('T#'));

describe('a queued turn', () => {
  it('is META, T# and HEAD, due in 25 minutes', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    expect(rig.writes.map(({ op }) => op)).toEqual(['meta', 'unfinished', 'head queued']);
    const head = { attempt: 0, status: 'queued', phase: 'model', tail: 0, base: 0, safePoint: 0, hot: '[]' };
    expect(rig.head(turn)).toMatchObject({ ...head, dueAt: START + QUEUED_MS, batch: undefined });
    expect(QUEUED_MS).toBe(25 * 60_000);
  });

  it('made again changes nothing, whatever it is by then', async () => {
    const rig = turnRig();
    const meta = metaOf();
    const turn = await queued(rig, 'T', meta);
    const before = rig.rows.all();
    await createQueued(rig.table, turn, { ...meta, input: 'other' });
    expect(rig.rows.all()).toEqual(before);
    await closeForeign(rig.deps, turn, rig.head(turn), { status: 'cancelled', reason: 'stopped' });
    const closed = rig.row(turn, 'HEAD');
    await createQueued(rig.table, turn, meta);
    expect(rig.row(turn, 'HEAD')).toEqual(closed);
  });

  it('closed before it was made stays closed', async () => {
    const rig = turnRig();
    const turn = turnId('T');
    await closeAbsent(rig.table, turn, START, { status: 'cancelled', reason: 'never_started' });
    await createQueued(rig.table, turn, metaOf());
    expect(rig.head(turn)).toMatchObject({
      attempt: 1,
      tail: 1,
      status: 'cancelled',
      reason: 'never_started',
    });
    expect(await rig.events(turn)).toEqual([
      { type: 'turn_status', status: 'cancelled', reason: 'never_started' },
    ]);
  });

  it('begins as attempt 1, no longer due', async () => {
    const rig = turnRig();
    const { head } = await started(rig, 'T');
    expect(head).toMatchObject({ attempt: 1, status: 'running', leaseEnd: START + LEASE_MS, tail: 0 });
    expect([head.shard, head.dueAt, head.nudged]).toEqual([undefined, undefined, undefined]);
  });

  it('begins once, of two that have read the same', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    const seen = rig.head(turn);
    expect(await begin(rig.deps, turn, seen)).not.toBe('refused');
    expect(await begin(rig.deps, turn, seen)).toBe('refused');
  });
});

describe('going on', () => {
  const waiting = async (phase: Head['phase']) => {
    const rig = turnRig();
    const { turn, head } = await started(rig, 'T');
    const pump = createPump({ ...rig.deps, turn, head, queued: true });
    if (phase === 'delivering') {
      await pump.deliver([{ type: 'step-end', last: true }]);
      await pump.pause();
    } else await pump.wait([{ type: 'step-end' }], START + 5);
    await pump.stop();
    return { rig, turn, seen: rig.head(turn) };
  };

  it('from a question is the same attempt, no longer due', async () => {
    const { rig, turn, seen } = await waiting('model');
    const next = await begin(rig.deps, turn, seen);
    expect(next).toMatchObject({ attempt: 1, status: 'running', tail: 1, leaseEnd: START + LEASE_MS });
    expect(next).toMatchObject({ shard: undefined, dueAt: undefined });
  });

  it('from a pause keeps its date, and is no longer nudged', async () => {
    const { rig, turn } = await waiting('delivering');
    await change(rig, turn, { nudged: 1 });
    const seen = rig.head(turn);
    expect(seen).toMatchObject({ status: 'waiting', phase: 'delivering', dueAt: START + 3_600_000 });
    const next = await begin(rig.deps, turn, seen);
    expect(next).toMatchObject({ attempt: 1, status: 'running', phase: 'delivering', dueAt: seen.dueAt });
    expect(next).toMatchObject({ shard: seen.shard, nudged: undefined });
  });

  it('is refused once somebody else was there, or a cancel', async () => {
    for (const next of [{ batch: 'another.0' }, { cancelAsked: START }]) {
      const { rig, turn, seen } = await waiting('model');
      await change(rig, turn, next);
      expect(await begin(rig.deps, turn, seen)).toBe('refused');
    }
  });
});

describe('a takeover', () => {
  it('adds a rewind to the safe point, a bound and an attempt, and drops the nudge', async () => {
    const rig = turnRig();
    const { turn, head } = await started(rig, 'T');
    const pump = createPump({ ...rig.deps, turn, head, queued: true });
    pump.emit({ type: 'start', messages: [turn] });
    pump.emit(say('a'));
    await pump.flush();
    await pump.stop();
    await change(rig, turn, { nudged: 1 });
    await rig.clock.advance(LEASE_MS + 2_001);
    const taken = await takeOver(rig.deps, turn, rig.head(turn));
    expect(taken).toMatchObject({ attempt: 2, tail: 3, bounds: [{ start: 3, to: 1 }], nudged: undefined });
    expect((await rig.events(turn)).at(-1)).toEqual({ type: 'rewind', to: 1 });
    expect((taken as Head).leaseEnd).toBe(rig.clock.now() + LEASE_MS);
  });

  it('is refused under a lease that is not over by two seconds', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    await rig.clock.advance(LEASE_MS + 2_000);
    expect(await takeOver(rig.deps, turn, rig.head(turn))).toBe('refused');
    await rig.clock.advance(1);
    expect(await takeOver(rig.deps, turn, rig.head(turn))).not.toBe('refused');
  });

  it.each([
    ['the tail has moved', { tail: 1 }],
    ['another took it', { attempt: 2 }],
    ['it waits', { status: 'waiting' }],
    ['it is over', { status: 'complete' }],
  ] as const)('is refused if %s', async (_, moved) => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    await rig.clock.advance(60_000);
    const seen = rig.head(turn);
    await change(rig, turn, moved);
    expect(await takeOver(rig.deps, turn, seen)).toBe('refused');
  });

  it('in the delivery keeps everything that was said', async () => {
    const rig = turnRig();
    const { turn, head } = await started(rig, 'T');
    const pump = createPump({ ...rig.deps, turn, head, queued: true });
    pump.emit(say('a'));
    await pump.deliver([{ type: 'step-end', last: true }]);
    await pump.stop();
    await rig.clock.advance(60_000);
    const taken = await takeOver(rig.deps, turn, rig.head(turn));
    expect(taken).toMatchObject({
      phase: 'delivering',
      bounds: [{ start: 3, to: 2 }],
      dueAt: START + 3_600_000,
    });
  });
});

describe('an end by somebody else', () => {
  const merged = { status: 'cancelled', reason: 'merged', into: 'other' } as const;

  it('of a queued turn is attempt 1 without a bound; its T# goes behind it', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    rig.before('close foreign', () => expect(unfinished(rig)).toHaveLength(1));
    const closed = await closeForeign(rig.deps, turn, rig.head(turn), merged);
    expect(closed).toMatchObject({ attempt: 1, status: 'cancelled', reason: 'merged', bounds: [] });
    expect(closed).toMatchObject({ shard: undefined, dueAt: undefined });
    expect(await rig.events(turn)).toEqual([
      { type: 'rewind', to: 0 },
      { type: 'turn_status', status: 'cancelled', reason: 'merged', into: 'other' },
    ]);
    expect(unfinished(rig)).toEqual([]);
  });

  it('of an orphan is one more attempt: rewind, error, turn_status', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    await rig.clock.advance(60_000);
    await closeForeign(rig.deps, turn, rig.head(turn), { status: 'error', reason: 'dead_letter' });
    expect(rig.head(turn)).toMatchObject({ attempt: 2, status: 'error', reason: 'dead_letter', tail: 3 });
    expect(await rig.events(turn)).toEqual([
      { type: 'rewind', to: 0 },
      { type: 'error', code: 'dead_letter' },
      { type: 'turn_status', status: 'error', reason: 'dead_letter' },
    ]);
  });

  it('never comes under a fresh lease, nor upon what was not seen', async () => {
    const rig = turnRig();
    const { turn } = await started(rig, 'T');
    expect(await closeForeign(rig.deps, turn, rig.head(turn), merged)).toBe('refused');
    const other = await queued(rig, 'U');
    const seen = rig.head(other);
    await begin(rig.deps, other, seen);
    expect(await closeForeign(rig.deps, other, seen, merged)).toBe('refused');
    expect(unfinished(rig)).toHaveLength(2);
  });
});

describe('the format', () => {
  it('of another release is not known', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    expect(isKnownFormat(rig.head(turn))).toBe(true);
    await change(rig, turn, { format: 2 });
    expect(isKnownFormat(rig.head(turn))).toBe(false);
  });
});
