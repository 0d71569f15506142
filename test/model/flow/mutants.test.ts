import { describe, expect, it } from 'vitest';
import { firstViolation } from '../many.ts';
import { flowScripts, runFlowScript } from './directed.ts';
import { flowMutants } from './mutants.ts';
import { runFlowSchedule } from './schedule.ts';

const MOST = 1_000;

describe('schedules written by hand', () => {
  it.each(Object.keys(flowScripts))('%s: the real code passes, the shortcut fails', async (name) => {
    expect(await runFlowScript(name)).toEqual([]);
    expect(await runFlowScript(name, flowMutants[name]!)).not.toEqual([]);
  });
});

describe('shortcuts that chance finds', () => {
  it.each(Object.keys(flowMutants).filter((name) => !(name in flowScripts)))(
    '%s',
    { timeout: 120_000 },
    async (name) => {
      expect(await firstViolation((seed) => runFlowSchedule(seed, flowMutants[name]!), MOST)).toBeDefined();
    },
  );
});
