/**
 * The one storage port: a table of rows under (`pk`, `sk`), written one row at a time, each write under a condition.
 * Conditions and changes are data, so an adapter translates them, a fake evaluates them, and a test can weaken one.
 * What the port lacks is a promise too: it has no scan, no transaction over several rows and no unbounded query.
 *
 * Every read is strongly consistent, but for `due`. Every call either takes effect as described or rejects with
 * {@link Unavailable}, after which the effect is unknown and the identical call may be repeated.
 */

export type Value = string | number | boolean | ReadonlySet<string>;
export type Key = { readonly pk: string; readonly sk: string };
export type Row = Key & Readonly<Record<string, Value>>;

/** The store did not answer in time, or refused for lack of capacity. Whether the call took effect is unknown. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  constructor(op: string, options?: ErrorOptions) {
    super(`the store did not answer: ${op}`, options);
  }
}

/** A condition on the row as it is before the write. A comparison with an absent attribute is false. */
export type Condition =
  | { readonly is: 'absent' | 'present'; readonly name: string }
  | {
      readonly is: '=' | '<' | '<=' | '>' | '>=';
      readonly name: string;
      readonly value: string | number | boolean;
    }
  | { readonly is: 'in'; readonly name: string; readonly values: readonly (string | number)[] }
  | { readonly is: 'contains'; readonly name: string; readonly value: string }
  | { readonly is: 'smaller'; readonly name: string; readonly than: number }
  | { readonly is: 'all' | 'any'; readonly of: readonly Condition[] };

export const absent = (name: string): Condition => ({ is: 'absent', name });
export const present = (name: string): Condition => ({ is: 'present', name });
export const eq = (name: string, value: string | number | boolean): Condition => ({ is: '=', name, value });
export const below = (name: string, value: string | number): Condition => ({ is: '<', name, value });
export const atMost = (name: string, value: string | number): Condition => ({ is: '<=', name, value });
export const above = (name: string, value: string | number): Condition => ({ is: '>', name, value });
export const oneOf = (name: string, values: readonly (string | number)[]): Condition => ({
  is: 'in',
  name,
  values,
});
/** The string set `name` has the member `value`. */
export const contains = (name: string, value: string): Condition => ({ is: 'contains', name, value });
/** The string set `name` is there and has fewer than `than` members. */
export const smaller = (name: string, than: number): Condition => ({ is: 'smaller', name, than });
export const all = (...of: Condition[]): Condition => ({ is: 'all', of });
export const any = (...of: Condition[]): Condition => ({ is: 'any', of });
/** There is no row under the key yet. */
export const noRow: Condition = absent('pk');
/** There is a row under the key: an update creates what it does not find. */
export const hasRow: Condition = present('pk');

/** What an update does to one row. An entry whose value is `undefined` is left out. */
export type Change = {
  readonly set?: Readonly<Record<string, Value | undefined>>;
  /** Set unless the attribute is there. */
  readonly init?: Readonly<Record<string, Value | undefined>>;
  /** Adds to a number (absent counts as 0), or members to a string set. */
  readonly add?: Readonly<Record<string, number | ReadonlySet<string>>>;
  readonly remove?: readonly string[];
};

/** `op` names the write in metrics, errors and tests; it does not reach the store. */
export type Update = { readonly op: string; readonly key: Key; readonly when?: Condition } & Change;
export type Put = { readonly op: string; readonly row: Row; readonly when?: Condition };
export type Remove = { readonly op: string; readonly key: Key; readonly when?: Condition };

/** Rows of one partition whose `sk` lies in [`from`, `to`], at most `limit` of them, ascending unless `newestFirst`. */
export type Range = {
  readonly pk: string;
  readonly from: string;
  readonly to: string;
  readonly limit: number;
  readonly newestFirst?: boolean;
};

export type Table = {
  get(key: Key): Promise<Row | undefined>;
  /** The rows that are there, in no particular order; keys may repeat. */
  getMany(keys: readonly Key[]): Promise<Row[]>;
  put(write: Put): Promise<'written' | 'refused'>;
  /** The whole new row, or `refused` when the condition did not hold. Without a condition it creates what is absent. */
  update(write: Update): Promise<Row | 'refused'>;
  remove(write: Remove): Promise<'removed' | 'refused'>;
  query(range: Range): Promise<Row[]>;
  /** How many rows {@link query} would return. */
  count(range: Range): Promise<number>;
  /** Keys of rows of a shard (`sh`) that are due (`du`) at or before `until` (ms), oldest first. May lag behind. */
  due(shard: string, until: number, limit: number): Promise<Key[]>;
};

/** How many shards a due index has: the rows of a table spread over `d00`…`d15` by a hash of their key. */
export const shards: readonly string[] = Array.from(
  { length: 16 },
  (_, n) => `d${String(n).padStart(2, '0')}`,
);

/** The shard of a key: any stable spread will do, and this one needs no hashing of its own. */
export function shardOf(id: string): string {
  let sum = 0;
  for (let i = 0; i < id.length; i++) sum = (sum * 31 + id.charCodeAt(i)) >>> 0;
  return shards[sum % shards.length]!;
}
