/** The contract of the table port, run on every implementation of it. */
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  above,
  absent,
  all,
  any,
  atMost,
  below,
  type Condition,
  contains,
  eq,
  hasRow,
  noRow,
  oneOf,
  present,
  smaller,
  type Table,
  type Value,
} from '../../functions/runtime/table.ts';
import { holds } from '../fakes/table.ts';

let partition = 0;

export function tableContract(name: string, make: () => Promise<Table>): void {
  describe(`table: ${name}`, () => {
    let table: Table;
    let pk: string;
    beforeEach(async () => {
      table = await make();
      pk = `contract-${process.pid}-${partition++}`;
    });

    it('keeps every kind of value as it was', async () => {
      const row = {
        pk,
        sk: 'a',
        text: 'é☃ \u0000 "',
        empty: '',
        n: -1.5,
        big: 2 ** 53 - 1,
        yes: true,
        set: new Set(['x', 'y']),
      };
      expect(await table.put({ op: 'put', row })).toBe('written');
      expect(await table.get({ pk, sk: 'a' })).toEqual(row);
      expect(await table.get({ pk, sk: 'b' })).toBeUndefined();
    });

    it('refuses what a store cannot hold, before anything is written', async () => {
      await expect(table.put({ op: 'put', row: { pk, sk: 'a', n: Number.NaN } })).rejects.toThrow(TypeError);
      await expect(table.put({ op: 'put', row: { pk, sk: 'a', set: new Set() } })).rejects.toThrow(TypeError);
      expect(await table.get({ pk, sk: 'a' })).toBeUndefined();
    });

    it('refuses a row of more than 400 KB, before anything is written', async () => {
      const row = { pk, sk: 'a', text: 'x'.repeat(409_700) };
      await expect(table.put({ op: 'put', row })).rejects.toThrow();
      await expect(table.update({ op: 'u', key: row, set: { text: row.text } })).rejects.toThrow();
      expect(await table.get(row)).toBeUndefined();
    });

    it('puts once under noRow and leaves the first row as it is', async () => {
      expect(await table.put({ op: 'put', row: { pk, sk: 'a', n: 1 }, when: noRow })).toBe('written');
      expect(await table.put({ op: 'put', row: { pk, sk: 'a', n: 2 }, when: noRow })).toBe('refused');
      expect(await table.get({ pk, sk: 'a' })).toEqual({ pk, sk: 'a', n: 1 });
      await table.put({ op: 'put', row: { pk, sk: 'a', m: 3 } });
      expect(await table.get({ pk, sk: 'a' })).toEqual({ pk, sk: 'a', m: 3 });
    });

    it('creates by update what is absent, unless hasRow forbids it', async () => {
      expect(await table.update({ op: 'u', key: { pk, sk: 'a' }, set: { n: 1 }, when: hasRow })).toBe(
        'refused',
      );
      expect(await table.update({ op: 'u', key: { pk, sk: 'a' }, set: { n: 1 } })).toEqual({
        pk,
        sk: 'a',
        n: 1,
      });
      expect(await table.update({ op: 'u', key: { pk, sk: 'b' } })).toEqual({ pk, sk: 'b' });
    });

    it('sets, inits, adds and removes in one update and returns the whole new row', async () => {
      const key = { pk, sk: 'a' };
      await table.put({ op: 'put', row: { ...key, old: 'o', n: 1, set: new Set(['a']) } });
      const change = {
        set: { text: 't', left: undefined },
        init: { old: 'kept', first: 5 },
        add: { n: 2, fresh: 7, set: new Set(['b', 'a']), ids: new Set(['z']) },
        remove: ['nothing'],
      };
      expect(await table.update({ op: 'u', key, ...change })).toEqual({
        ...key,
        old: 'o',
        n: 3,
        text: 't',
        first: 5,
        fresh: 7,
        set: new Set(['a', 'b']),
        ids: new Set(['z']),
      });
      expect(
        await table.update({ op: 'u', key, remove: ['set', 'old', 'n', 'text', 'first', 'fresh'] }),
      ).toEqual({
        ...key,
        ids: new Set(['z']),
      });
    });

    it('takes a row for its key', async () => {
      const row = { pk, sk: 'a', n: 1 };
      await table.put({ op: 'put', row });
      expect(await table.get(row)).toEqual(row);
      expect(await table.getMany([row])).toEqual([row]);
      expect(await table.update({ op: 'u', key: row, add: { n: 1 } })).toEqual({ ...row, n: 2 });
      expect(await table.remove({ op: 'r', key: row })).toBe('removed');
      expect(await table.get(row)).toBeUndefined();
    });

    it('removes under a condition; what is not there is removed too', async () => {
      const key = { pk, sk: 'a' };
      await table.put({ op: 'put', row: { ...key, n: 1 } });
      expect(await table.remove({ op: 'r', key, when: eq('n', 2) })).toBe('refused');
      expect(await table.remove({ op: 'r', key, when: eq('n', 1) })).toBe('removed');
      expect(await table.remove({ op: 'r', key })).toBe('removed');
      expect(await table.get(key)).toBeUndefined();
    });

    it('queries a bounded range in both directions and counts it', async () => {
      for (const sk of ['a#1', 'a#2', 'a#3', 'b#1']) await table.put({ op: 'put', row: { pk, sk } });
      const range = { pk, from: 'a#', to: 'a#~', limit: 10 };
      expect((await table.query(range)).map((row) => row.sk)).toEqual(['a#1', 'a#2', 'a#3']);
      expect((await table.query({ ...range, limit: 2, newestFirst: true })).map((row) => row.sk)).toEqual([
        'a#3',
        'a#2',
      ]);
      expect(await table.count(range)).toBe(3);
      expect(await table.count({ ...range, limit: 2 })).toBe(2);
      expect(await table.query({ pk: `${pk}-none`, from: '', to: '~', limit: 5 })).toEqual([]);
    });

    it('reads on where a page of the store ends', async () => {
      const text = 'x'.repeat(300_000);
      for (let i = 0; i < 5; i++) await table.put({ op: 'put', row: { pk, sk: `s#${i}`, text } });
      expect(await table.query({ pk, from: 's#', to: 's#~', limit: 10 })).toHaveLength(5);
      expect(await table.count({ pk, from: 's#', to: 's#~', limit: 10 })).toBe(5);
    });

    it('gets many rows at once, also over 100 and with repeated keys', async () => {
      const keys = Array.from({ length: 130 }, (_, n) => ({ pk, sk: `k${n}` }));
      await Promise.all(
        keys.filter((_, n) => n % 2 === 0).map((key) => table.put({ op: 'put', row: { ...key } })),
      );
      expect(await table.getMany([...keys, keys[0]!])).toHaveLength(65);
      expect(await table.getMany([])).toEqual([]);
    });

    it('finds due rows of a shard, oldest first, while they have both attributes', async () => {
      const shard = `d-${pk}`;
      await table.put({ op: 'put', row: { pk, sk: 'late', sh: shard, du: 30 } });
      await table.put({ op: 'put', row: { pk, sk: 'soon', sh: shard, du: 10 } });
      await table.put({ op: 'put', row: { pk, sk: 'next', sh: shard, du: 20 } });
      expect(await table.due(shard, 20, 10)).toEqual([
        { pk, sk: 'soon' },
        { pk, sk: 'next' },
      ]);
      expect(await table.due(shard, 99, 1)).toEqual([{ pk, sk: 'soon' }]);
      await table.update({ op: 'u', key: { pk, sk: 'soon' }, remove: ['sh', 'du'] });
      expect(await table.due(shard, 20, 10)).toEqual([{ pk, sk: 'next' }]);
    });

    it('judges every condition as the memory fake does', async () => {
      const name = fc.constantFrom('s', 'n', 'ids', 'flag', 'none');
      const leaf: fc.Arbitrary<Condition> = fc.oneof(
        name.map(absent),
        name.map(present),
        fc
          .tuple(name, fc.constantFrom<string | number | boolean>('x', 'y', 1, 2, true))
          .map(([n, v]) => eq(n, v)),
        fc
          .tuple(fc.constantFrom(below, atMost, above), name, fc.constantFrom('x', 1, 2))
          .map(([f, n, v]) => f(n, v)),
        name.map((n) => oneOf(n, ['x', 2])),
        fc.tuple(fc.constantFrom('ids', 'none'), fc.constantFrom('p', 'q')).map(([n, v]) => contains(n, v)),
        fc.tuple(fc.constantFrom('ids', 'none'), fc.constantFrom(1, 2)).map(([n, v]) => smaller(n, v)),
      );
      const condition = fc.letrec<{ node: Condition }>((tie) => ({
        node: fc.oneof(
          { maxDepth: 3 },
          leaf,
          fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((of) => all(...of)),
          fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((of) => any(...of)),
        ),
      })).node;
      const rows: (Record<string, Value> | undefined)[] = [
        undefined,
        { s: 'x', n: 1, ids: new Set(['p']) },
        { s: 'y', n: 2, flag: true, ids: new Set(['p', 'q']) },
      ];
      await fc.assert(
        fc.asyncProperty(condition, fc.constantFrom(...rows), fc.nat(), async (when, before, id) => {
          const key = { pk, sk: `c${id}` };
          await table.remove({ op: 'r', key });
          if (before) await table.put({ op: 'put', row: { ...key, ...before } });
          const expected = holds(when, before && { ...key, ...before }) ? 'written' : 'refused';
          expect(await table.put({ op: 'put', row: { ...key }, when })).toBe(expected);
        }),
        { numRuns: 150 },
      );
    });
  });
}
