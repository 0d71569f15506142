/** One write of the pump: when events stay in HEAD, when everything is spilled, and where a write leads. */
import { describe, expect, it } from 'vitest';
import { shardOf } from '../../functions/runtime/table.ts';
import { batchOf, DELIVERY_MS, type Held, HOT_BYTES, type Into } from '../../functions/turns/batch.ts';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { encodeRows } from '../../functions/turns/rows.ts';
import { START } from './rig.ts';

const nothing: Held = { tail: 0, base: 0, safePoint: 0, phase: 'model', hot: [] };
const from = (seq: number, ...events: TurnEvent[]): Numbered[] =>
  events.map((event, index) => ({ seq: seq + index, event }));

const write = (held: Held, events: readonly Numbered[], into: Into = 'plain', more: object = {}) =>
  batchOf(held, events, { turn: 'T', id: 'b.1', into, now: START, window: 100, ...more });

const fill = (bytes: number): TurnEvent => {
  const empty = encodeRows([[1, 'data', { f: '' }]]).length;
  return { type: 'data', f: 'x'.repeat(bytes - empty) };
};

describe('a batch', () => {
  it('joins what is hot while that is 520 bytes at most', () => {
    const exact = write(nothing, from(1, fill(HOT_BYTES)));
    expect(exact.spill).toBeUndefined();
    expect(exact.change.set).toMatchObject({ t: 1, b: 0, bi: 'b.1', le: START + 10_000, ca: START, fw: 100 });
    expect(Buffer.byteLength(exact.change.set!.h as string)).toBe(HOT_BYTES);
  });

  it('with one byte more is spilled whole, with everything that was hot', () => {
    const first = write(nothing, from(1, { type: 'text', text: 'a' })).next;
    const second = write(first, from(2, { type: 'text', text: 'b' }, fill(HOT_BYTES)));
    expect(second.spill).toEqual([
      [1, 'text', null, 'ab', [[1, 2]]],
      [3, 'data', { f: expect.any(String) }],
    ]);
    expect(second.change.set).toMatchObject({ t: 3, b: 3, h: '[]' });
    expect(second.next).toMatchObject({ tail: 3, base: 3, hot: [] });
  });

  it('counts UTF-8 bytes', () => {
    expect(write(nothing, from(1, { type: 'text', text: '☃'.repeat(160) })).spill).toBeUndefined();
    expect(write(nothing, from(1, { type: 'text', text: '☃'.repeat(180) })).spill).toBeDefined();
  });

  it('leaves what it was made of as it was', () => {
    const held = write(nothing, from(1, { type: 'text', text: 'a' })).next;
    const before = structuredClone(held);
    write(held, from(2, { type: 'text', text: 'b' }));
    expect(held).toEqual(before);
  });
});

describe('the safe point', () => {
  it('is the start event, then the last whole step', () => {
    const start = write(nothing, from(1, { type: 'start', messages: ['T'] })).next;
    expect(start.safePoint).toBe(1);
    const words = write(start, from(2, { type: 'step-start' }, { type: 'text', text: 'a' })).next;
    expect(words.safePoint).toBe(1);
    const step = write(words, from(4, { type: 'step-end' }, { type: 'step-start' })).next;
    expect(step.safePoint).toBe(4);
  });
});

describe('the phase', () => {
  const call: TurnEvent = { type: 'tool-call', id: '1', name: 'n', arguments: {} };
  const result: TurnEvent = { type: 'tool-result', id: '1', name: 'n', result: 1 };

  it('is tool from a call to its result', () => {
    const called = write(nothing, from(1, call)).next;
    expect(called.phase).toBe('tool');
    expect(write(called, from(2, { type: 'text', text: 'a' })).next.phase).toBe('tool');
    expect(write(called, from(2, result)).next.phase).toBe('model');
    expect(write(nothing, from(1, call, result)).next.phase).toBe('model');
  });

  it('stays delivering', () => {
    expect(write({ ...nothing, phase: 'delivering' }, from(1, call)).next.phase).toBe('delivering');
  });
});

describe('into', () => {
  const words = from(1, { type: 'text', text: 'a' }, { type: 'step-end', last: true });

  it('waiting: spilled, no lease, due at the limit for the answer, not after a cancel', () => {
    const batch = write(nothing, words, 'waiting', { until: START + 5 });
    expect(batch.spill).toHaveLength(2);
    expect(batch.change.set).toMatchObject({ st: 'w', sp: 2, t: 2, b: 2, sh: shardOf('T'), du: START + 5 });
    expect(batch.change.remove).toEqual(['le']);
    expect([batch.leaves, batch.unlessCancelled]).toEqual([true, true]);
  });

  it('delivering: the safe point is the tail, due in an hour, not after a cancel', () => {
    const batch = write(nothing, [...words, ...from(3, { type: 'text', text: 'b' })], 'delivering');
    expect(batch.change.set).toMatchObject({ ph: 'd', sp: 3, sh: shardOf('T'), du: START + DELIVERY_MS });
    expect(DELIVERY_MS).toBe(3_600_000);
    expect([batch.leaves, batch.unlessCancelled]).toEqual([false, true]);
  });

  it.each([
    ['complete', 'c'],
    ['error', 'e'],
    ['cancelled', 'x'],
  ] as const)('%s: spilled, with its reason, no longer due', (into, letter) => {
    const batch = write(nothing, words, into, { reason: 'why' });
    expect(batch.spill).toHaveLength(2);
    expect(batch.change.set).toMatchObject({ st: letter, rs: 'why', h: '[]', b: 2 });
    expect(batch.change.remove).toEqual(['sh', 'du']);
    expect([batch.leaves, batch.unlessCancelled]).toEqual([true, into === 'complete']);
  });

  it('complete in the delivery: a cancel is too late', () => {
    expect(write({ ...nothing, phase: 'delivering' }, words, 'complete').unlessCancelled).toBe(false);
  });

  it('plain: nothing but the log moves', () => {
    const { change, unlessCancelled, leaves } = write(nothing, words);
    expect(Object.keys(change.set!).sort()).toEqual(['b', 'bi', 'ca', 'fw', 'h', 'le', 'ph', 'sp', 't']);
    expect([change.remove, unlessCancelled, leaves]).toEqual([[], false, false]);
  });
});
