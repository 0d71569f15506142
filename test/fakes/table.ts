/**
 * The table port in memory: one `Map`, each call synchronous inside. `through` stands around every call, so that a
 * test can delay, lose, repeat or break it; the contract suite holds this fake to the real store's behaviour.
 */
import type { Change, Condition, Key, Range, Row, Table, Value } from '../../functions/runtime/table.ts';

export type Call = {
  readonly kind: 'get' | 'getMany' | 'put' | 'update' | 'remove' | 'query' | 'count' | 'due';
  readonly op: string;
  readonly detail: unknown;
};
/** Runs the effect (once, never, or later) and answers, or rejects. */
export type Through = <T>(call: Call, effect: () => T) => Promise<T>;

export type MemoryTable = Table & {
  /** All rows, sorted by key; for assertions only. */
  rows(): Row[];
  peek(key: Key): Row | undefined;
};

const direct: Through = async (_call, effect) => effect();

export function memoryTable(through: Through = direct): MemoryTable {
  const partitions = new Map<string, Map<string, Row>>();
  const peek = (key: Key) => partitions.get(key.pk)?.get(key.sk);
  const store = (row: Row) => {
    const partition = partitions.get(row.pk) ?? new Map<string, Row>();
    partitions.set(row.pk, partition.set(row.sk, row));
  };
  const allows = (when: Condition | undefined, row: Row | undefined) => !when || holds(when, row);
  const select = (range: Range) => {
    const rows = [...(partitions.get(range.pk)?.values() ?? [])]
      .filter((row) => row.sk >= range.from && row.sk <= range.to)
      .sort((a, b) => (a.sk < b.sk ? -1 : 1));
    if (range.newestFirst) rows.reverse();
    return rows.slice(0, range.limit);
  };
  return {
    rows: () =>
      [...partitions.values()]
        .flatMap((partition) => [...partition.values()])
        .sort((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1)),
    peek,
    get: (key) => through({ kind: 'get', op: 'get', detail: key }, () => peek(key)),
    getMany: (keys) =>
      through({ kind: 'getMany', op: 'get many', detail: keys }, () => [
        ...new Set(keys.map(peek).filter((row) => row !== undefined)),
      ]),
    put: (write) =>
      through({ kind: 'put', op: write.op, detail: write }, () => {
        if (!allows(write.when, peek(write.row))) return 'refused';
        store(check(write.row));
        return 'written';
      }),
    update: (write) =>
      through({ kind: 'update', op: write.op, detail: write }, () => {
        const before = peek(write.key);
        if (!allows(write.when, before)) return 'refused';
        const after = check(changed(before ?? { ...write.key }, write));
        store(after);
        return after;
      }),
    remove: (write) =>
      through({ kind: 'remove', op: write.op, detail: write }, () => {
        if (!allows(write.when, peek(write.key))) return 'refused';
        partitions.get(write.key.pk)?.delete(write.key.sk);
        return 'removed';
      }),
    query: (range) => through({ kind: 'query', op: 'query', detail: range }, () => select(range)),
    count: (range) => through({ kind: 'count', op: 'count', detail: range }, () => select(range).length),
    due: (shard, until, limit) =>
      through({ kind: 'due', op: 'due', detail: { shard, until, limit } }, () =>
        [...partitions.values()]
          .flatMap((partition) => [...partition.values()])
          .filter((row) => row.sh === shard && typeof row.du === 'number' && row.du <= until)
          .sort((a, b) => (a.du as number) - (b.du as number))
          .slice(0, limit)
          .map(({ pk, sk }) => ({ pk, sk })),
      ),
  };
}

export function holds(condition: Condition, row: Row | undefined): boolean {
  if ('of' in condition) {
    const parts = condition.of.map((part) => holds(part, row));
    return condition.is === 'all' ? !parts.includes(false) : parts.includes(true);
  }
  const value = row?.[condition.name];
  switch (condition.is) {
    case 'absent':
      return value === undefined;
    case 'present':
      return value !== undefined;
    case 'contains':
      return value instanceof Set && value.has(condition.value);
    case 'smaller':
      return value instanceof Set && value.size < condition.than;
    case 'in':
      return condition.values.some((one) => one === value);
    default:
      return compare(condition.is, value, condition.value);
  }
}

function compare(is: '=' | '<' | '<=' | '>' | '>=', left: Value | undefined, right: Value): boolean {
  if (typeof left !== typeof right || left === undefined) return false;
  switch (is) {
    case '=':
      return left === right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function changed(row: Row, change: Change): Row {
  const next: Record<string, Value> = { ...row };
  for (const [name, value] of Object.entries(change.set ?? {})) if (value !== undefined) next[name] = value;
  for (const [name, value] of Object.entries(change.init ?? {}))
    if (value !== undefined && row[name] === undefined) next[name] = value;
  for (const [name, value] of Object.entries(change.add ?? {}))
    next[name] =
      typeof value === 'number'
        ? ((row[name] as number | undefined) ?? 0) + value
        : new Set([...((row[name] as ReadonlySet<string> | undefined) ?? []), ...value]);
  for (const name of change.remove ?? []) delete next[name];
  return next as Row;
}

function check(row: Row): Row {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new TypeError(`${name} is not a finite number`);
    if (value instanceof Set && value.size === 0) throw new TypeError(`${name} is an empty set`);
  }
  return row;
}
