/** How often something may be done in a window. */
import { expect, it } from 'vitest';
import { overQuota } from '../../functions/access/quota.ts';
import { memoryTable } from '../fakes/table.ts';

function counter(limit: number) {
  const table = memoryTable();
  return (id: string, now = 0, name = 'starts of @ana:hs') =>
    overQuota(table, { name, id, now, windowMs: 60_000, limit });
}

it('lets as many through as the limit says, and then says how long to wait', async () => {
  const count = counter(2);
  expect([await count('a', 10), await count('b', 20)]).toEqual([undefined, undefined]);
  expect(await count('c', 20_000)).toBe(40);
  expect(await count('c', 59_999)).toBe(1);
  expect(await count('c', 60_000)).toBeUndefined();
});

it('counts a repetition once, also when the window is full', async () => {
  const count = counter(2);
  for (const id of ['a', 'a', 'b', 'a', 'b']) expect(await count(id)).toBeUndefined();
  expect(await count('c')).toBe(60);
});

it('counts each name by itself, whatever is in it', async () => {
  const count = counter(1);
  for (const name of ['a', 'a#0', 'a#0#1', '__proto__', ''])
    expect(await count('x', 0, name)).toBeUndefined();
  expect(await count('y', 0, 'a#0')).toBe(60);
});

it('lets no more through when they come at once', async () => {
  const count = counter(3);
  const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => count(`id ${n}`)));
  expect(answers.filter((answer) => answer === undefined)).toHaveLength(3);
});
