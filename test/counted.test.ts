/** What `npm run bench` counts is the same on every machine, so it is held to its targets here too. */
import { expect, it } from 'vitest';
import { type Bench, isMet } from './bench/bench.ts';
import { pump } from './bench/pump.ts';
import { writes } from './bench/writes.ts';

it.each<[string, Bench]>([
  ['the writes of a message', writes],
  ['the writes of a streaming turn', pump],
])('%s are as few as promised', async (_, bench) => {
  const values = await bench.measure();
  const missed = Object.entries(bench.figures).filter(([name, { target }]) => {
    const value = values[name] as number;
    return isMet({ value, ...(target && { target }) }) !== true;
  });
  expect(missed.map(([name]) => `${name}: ${values[name]}`)).toEqual([]);
});
