/** HEAD in its letters, the questions asked of it, and its size when everything that can be in it is. */
import { describe, expect, it } from 'vitest';
import type { Row } from '../../functions/runtime/table.ts';
import { HOT_BYTES } from '../../functions/turns/batch.ts';
import {
  asksConsent,
  attemptAt,
  type Head,
  headAttributes,
  headChange,
  headOf,
  isExpired,
  isPaused,
  isTerminal,
  LEASE_MS,
  leaseOver,
  startOf,
} from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { closeForeign, takeOver } from '../../functions/turns/takeover.ts';
import { headSize } from '../model/log-table.ts';
import { START, turnId, turnRig } from './rig.ts';

const head = (more: Partial<Head> = {}): Head => ({
  format: 1,
  attempt: 1,
  status: 'running',
  phase: 'model',
  tail: 4,
  base: 0,
  safePoint: 1,
  bounds: [],
  hot: '[]',
  ...more,
});

const full = head({
  attempt: 3,
  batch: 'abcdefgh.7',
  leaseEnd: START,
  committedAt: START,
  flushWindow: 100,
  watchedUntil: 1_800_000_000,
  cancelAsked: START,
  nudged: 2,
  bounds: [
    { start: 10, to: 4 },
    { start: 17, to: 12 },
  ],
  reason: 'why',
  forgotten: true,
  expires: 1_802_000_000,
  shard: 'd07',
  dueAt: START,
});

describe('the letters', () => {
  it('keep everything', () => {
    const { format: _, ...given } = full;
    const row = { pk: 't', sk: 'HEAD', ...headAttributes(given), bd: '10:4,17:12' };
    expect(headOf(row)).toEqual(full);
  });

  it('are the specified ones', () => {
    const { set, remove } = headChange({ ...full, batch: null, dueAt: undefined });
    expect(set).toEqual({
      v: 1,
      a: 3,
      st: 'r',
      ph: 'm',
      t: 4,
      b: 0,
      sp: 1,
      le: START,
      ca: START,
      fw: 100,
      wu: 1_800_000_000,
      cx: START,
      nu: 2,
      bd: '10:4,17:12',
      rs: 'why',
      fg: 1,
      ex: 1_802_000_000,
      sh: 'd07',
      h: '[]',
    });
    expect(remove).toEqual(['bi']);
  });

  it.each([
    ['queued', 'q'],
    ['running', 'r'],
    ['waiting', 'w'],
    ['complete', 'c'],
    ['error', 'e'],
    ['cancelled', 'x'],
  ] as const)('%s is %s', (status, letter) => {
    expect(headChange({ status }).set).toEqual({ st: letter });
    expect(isTerminal({ status })).toBe('cex'.includes(letter));
  });

  it.each([
    ['model', 'm'],
    ['tool', 't'],
    ['delivering', 'd'],
  ] as const)('%s is %s', (phase, letter) => {
    expect(headChange({ phase }).set).toEqual({ ph: letter });
  });
});

describe('what is asked of it', () => {
  it('a waiting turn asks, unless it is paused in its delivery', () => {
    expect(asksConsent(head({ status: 'waiting' }))).toBe(true);
    expect(isPaused(head({ status: 'waiting' }))).toBe(false);
    const paused = head({ status: 'waiting', phase: 'delivering' });
    expect([asksConsent(paused), isPaused(paused)]).toEqual([false, true]);
    expect(isPaused(head({ phase: 'delivering' }))).toBe(false);
  });

  it('a lease is over two seconds behind its end, and only a running turn’s', () => {
    const leased = head({ leaseEnd: START });
    expect([leaseOver(leased, START + 2_000), leaseOver(leased, START + 2_001)]).toEqual([false, true]);
    expect(leaseOver(head({ status: 'waiting', leaseEnd: 1 }), START)).toBe(false);
    expect(leaseOver(head(), START)).toBe(false);
  });

  it('it is expired from its second on', () => {
    const expiring = head({ expires: 100 });
    expect([isExpired(expiring, 99_999), isExpired(expiring, 100_000)]).toEqual([false, true]);
    expect(isExpired(head(), START)).toBe(false);
  });

  it('an attempt starts with its rewind, the first with the log', () => {
    expect([0, 1, 2, 3, 4].map((attempt) => startOf(full, attempt))).toEqual([1, 1, 10, 17, undefined]);
    expect([1, 9, 10, 16, 17, 99].map((seq) => attemptAt(full, seq))).toEqual([1, 1, 2, 2, 3, 3]);
  });
});

describe('its size', () => {
  const turn = turnId('T');
  /** The largest hot text an owner may leave, and the longest number of everything. */
  const hot = (bytes = HOT_BYTES) => {
    const rows = (fill: string) => JSON.stringify([[9_990_000, 'x-data', { f: fill }]]);
    return rows('x'.repeat(bytes - rows('').length));
  };
  const largest = () =>
    headAttributes({
      attempt: 1,
      status: 'running',
      phase: 'model',
      tail: 9_990_000,
      base: 9_989_999,
      safePoint: 9_989_999,
      batch: 'abcdefgh.9999999',
      leaseEnd: START + LEASE_MS + 1,
      committedAt: START + 1,
      flushWindow: 250,
      watchedUntil: 1_811_111_111,
      nudged: 1,
      cancelAsked: START + 1,
      expires: 1_811_111_111,
      shard: 'd11',
      dueAt: START + 1,
      hot: hot(),
    });

  it('is 1,024 bytes at most after two takeovers and a close by somebody else', async () => {
    const rig = turnRig();
    expect(Buffer.byteLength(hot())).toBe(HOT_BYTES);
    await rig.table.put({ op: 'put', row: { ...keys.head(turn), ...largest() } });
    const sizes = [];
    for (const step of ['take', 'take', 'close'] as const) {
      await rig.clock.advance(20_000);
      const seen = rig.head(turn);
      const end = { status: 'error', reason: 'r'.repeat(25) } as const;
      const next =
        step === 'take'
          ? await takeOver(rig.deps, turn, seen)
          : await closeForeign(rig.deps, turn, seen, end);
      expect(next).not.toBe('refused');
      sizes.push(headSize(rig.row(turn, 'HEAD')!));
    }
    expect(rig.head(turn)).toMatchObject({ attempt: 4, status: 'error', tail: 9_990_005 });
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_024);
  });

  it('without hot and bounds is 235 bytes at most', () => {
    const fixed: Row = { ...keys.head(turn), ...largest(), rs: 'r'.repeat(25), h: '' };
    expect(headSize(fixed)).toBeLessThanOrEqual(235);
  });
});
