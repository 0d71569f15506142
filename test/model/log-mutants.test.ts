import { describe, expect, it } from 'vitest';
import { runScript, scripts } from './directed.ts';
import { runLogSchedule } from './log-model.ts';
import { firstViolation } from './many.ts';
import { mutants } from './mutants.ts';

const MOST = 2_500;

describe('schedules written by hand', () => {
  it.each(Object.keys(scripts))('%s: the real code passes, the shortcut fails', async (name) => {
    expect(await runScript(name)).toEqual([]);
    expect(await runScript(name, mutants[name]!)).not.toEqual([]);
  });
});

describe('shortcuts that chance finds', () => {
  const random = Object.keys(mutants).filter((name) => !(name in scripts));
  it.each(random)('%s', { timeout: 120_000 }, async (name) => {
    expect(await firstViolation((seed) => runLogSchedule(seed, mutants[name]!), MOST)).toBeDefined();
  });

  it('and those of the specification’s list are all there', () => {
    expect(Object.keys(mutants)).toHaveLength(23);
  });
});
