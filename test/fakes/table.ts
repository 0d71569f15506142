/**
 * The table port in memory: a core whose every call is synchronous, and the port over it. `through` stands around every
 * call of the port, so that a test can delay, lose, repeat or break it; the contract suite holds both to the real store.
 */
import type {
  Change,
  Condition,
  Key,
  Put,
  Range,
  Remove,
  Row,
  Table,
  Update,
  Value,
} from '../../functions/runtime/table.ts';

/** The rows themselves; the port's calls without their promises. */
export type Rows = {
  get(key: Key): Row | undefined;
  getMany(keys: readonly Key[]): Row[];
  put(write: Put): 'written' | 'refused';
  update(write: Update): Row | 'refused';
  remove(write: Remove): 'removed' | 'refused';
  query(range: Range): Row[];
  due(shard: string, until: number, limit: number): Key[];
  /** All rows, sorted by key; for assertions only. */
  all(): Row[];
};

export type Call = { readonly kind: keyof Table; readonly op: string; readonly detail: unknown };
/** Runs the effect (once, never, or later) and answers, or rejects. */
export type Through = <T>(call: Call, effect: () => T) => Promise<T>;

const direct: Through = async (_call, effect) => effect();

export function tableOver(rows: Rows, through: Through = direct): Table {
  return {
    get: (key) => through({ kind: 'get', op: 'get', detail: key }, () => rows.get(key)),
    getMany: (keys) => through({ kind: 'getMany', op: 'get many', detail: keys }, () => rows.getMany(keys)),
    put: (write) => through({ kind: 'put', op: write.op, detail: write }, () => rows.put(write)),
    update: (write) => through({ kind: 'update', op: write.op, detail: write }, () => rows.update(write)),
    remove: (write) => through({ kind: 'remove', op: write.op, detail: write }, () => rows.remove(write)),
    query: (range) => through({ kind: 'query', op: 'query', detail: range }, () => rows.query(range)),
    count: (range) => through({ kind: 'count', op: 'count', detail: range }, () => rows.query(range).length),
    due: (shard, until, limit) =>
      through({ kind: 'due', op: 'due', detail: { shard, until, limit } }, () =>
        rows.due(shard, until, limit),
      ),
  };
}

/** A table of its own. */
export const memoryTable = (through?: Through): Table => tableOver(memoryRows(), through);

export function memoryRows(): Rows {
  const partitions = new Map<string, Map<string, Row>>();
  const get = (key: Key) => partitions.get(key.pk)?.get(key.sk);
  const store = (row: Row) => {
    const partition = partitions.get(row.pk) ?? new Map<string, Row>();
    partitions.set(row.pk, partition.set(row.sk, row));
  };
  const allows = (when: Condition | undefined, row: Row | undefined) => !when || holds(when, row);
  const all = () => [...partitions.values()].flatMap((partition) => [...partition.values()]);
  return {
    get,
    getMany: (keys) => [...new Set(keys.map(get).filter((row) => row !== undefined))],
    put({ row, when }) {
      if (!allows(when, get(row))) return 'refused';
      store(check(row));
      return 'written';
    },
    update({ key, when, ...change }) {
      const before = get(key);
      if (!allows(when, before)) return 'refused';
      const after = check(changed(before ?? { pk: key.pk, sk: key.sk }, change));
      store(after);
      return after;
    },
    remove({ key, when }) {
      if (!allows(when, get(key))) return 'refused';
      partitions.get(key.pk)?.delete(key.sk);
      return 'removed';
    },
    query({ pk, from, to, limit, newestFirst }) {
      const rows = [...(partitions.get(pk)?.values() ?? [])]
        .filter((row) => row.sk >= from && row.sk <= to)
        .sort((a, b) => (a.sk < b.sk ? -1 : 1));
      if (newestFirst) rows.reverse();
      return rows.slice(0, limit);
    },
    due: (shard, until, limit) =>
      all()
        .filter((row) => row.sh === shard && typeof row.du === 'number' && row.du <= until)
        .sort((a, b) => (a.du as number) - (b.du as number))
        .slice(0, limit)
        .map(({ pk, sk }) => ({ pk, sk })),
    all: () => all().sort((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1)),
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

/** Of DynamoDB, with all names and values; here of the largest value only. */
const MAX_ROW_BYTES = 400 * 1_024;

function check(row: Row): Row {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new TypeError(`${name} is not a finite number`);
    if (value instanceof Set && value.size === 0) throw new TypeError(`${name} is an empty set`);
    if (
      typeof value === 'string' &&
      value.length > MAX_ROW_BYTES / 4 &&
      Buffer.byteLength(value) > MAX_ROW_BYTES
    )
      throw new RangeError(`${name} is larger than a row may be`);
  }
  return row;
}
