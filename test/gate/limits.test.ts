import { describe, expect, it } from 'vitest';
import { WINDOW_MS, within } from '../../functions/gate/limits.ts';
import { memoryTable } from '../fakes/table.ts';

const limit = { turns: 3, windowMs: WINDOW_MS };

describe('a limit', () => {
  it('takes so many turns in a fixed window of ten minutes, and as many in the next', async () => {
    const table = memoryTable();
    const at = (turn: string, now: number) => within(table, 'sender', turn, now, limit);
    const last = WINDOW_MS - 1;
    const first = [await at('a', 0), await at('b', last), await at('c', last), await at('d', last)];
    expect(first).toEqual([true, true, true, false]);
    expect(await at('d', WINDOW_MS)).toBe(true);
    // An earlier window is still what it was.
    expect(await at('e', last)).toBe(false);
  });

  it('counts a turn once, also when it is full', async () => {
    const table = memoryTable();
    const at = (turn: string) => within(table, 'sender', turn, 0, limit);
    for (const turn of ['a', 'a', 'b', 'c', 'a']) expect(await at(turn)).toBe(true);
    expect([await at('d'), await at('b')]).toEqual([false, true]);
  });

  it('counts each scope by itself', async () => {
    const table = memoryTable();
    for (const turn of ['a', 'b', 'c']) await within(table, 'one', turn, 0, limit);
    expect(await within(table, 'one', 'd', 0, limit)).toBe(false);
    expect(await within(table, 'two', 'd', 0, limit)).toBe(true);
  });
});
