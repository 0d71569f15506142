/**
 * The table of turns under the model: every call is a yield point, and every write of HEAD is held against what must
 * never happen. `log` is the truth: the events each write committed, as they were when HEAD took them.
 */
import type { Condition, Put, Range, Row, Table, Update } from '../../functions/runtime/table.ts';
import type { Numbered } from '../../functions/turns/events.ts';
import { type Head, headOf, hotRows, isTerminal, letterOf } from '../../functions/turns/head.ts';
import { isBelieved, type Segment, segmentOf } from '../../functions/turns/log.ts';
import { eventsOf } from '../../functions/turns/rows.ts';
import { memoryRows, type Rows, tableOver } from '../fakes/table.ts';
import { Steering } from './steering.ts';
import type { Process, World } from './world.ts';

/** What a mutant does to a request before it reaches the store, or to an answer. Undefined: nothing. */
export type TableMutant = {
  readonly update?: (write: Update, seen: { retry: boolean; head: Head | undefined }) => Update;
  readonly put?: (write: Put) => Put;
  readonly query?: (range: Range, rows: Row[], log: LogTable) => Row[];
  readonly get?: (row: Row | undefined, refused: Update | undefined) => Row | undefined;
  /** Nobody sees who holds a conversation's RUN. */
  readonly runUnseen?: boolean;
  /** Told of a request when it is made, which is before it takes effect, if it ever does. */
  readonly request?: (write: Update) => void;
  /** A stored segment as its readers get it. */
  readonly segment?: (row: Row) => Row;
  /** An absent HEAD that was to be closed is only said to be. */
  readonly imagined?: boolean;
  /** Segment queries may be answered from an earlier state. */
  readonly stale?: boolean;
  /** The filter is gone, so rows that nobody believes are not held against the log. */
  readonly trusting?: boolean;
};

export const headSize = (row: Row): number =>
  Object.entries(row).reduce((sum, [name, value]) => {
    const size =
      typeof value === 'number'
        ? Math.ceil(String(Math.abs(value)).length / 2) + 1
        : Buffer.byteLength(String(value));
    return sum + name.length + size;
  }, 0);

export class LogTable {
  readonly logs = new Map<string, Numbered[]>();
  readonly rows: Rows = memoryRows();
  /** Turns that somebody else ended. */
  readonly foreign = new Set<string>();
  maxHead = 0;
  private readonly lastBatch = new Map<string, string>();
  private readonly refused = new Map<number, Update>();
  private readonly requests = new WeakSet<object>();
  private readonly snapshots = new Map<string, Row[][]>();
  private readonly conversationOf: (turn: string) => string | undefined;
  private readonly world: World;
  private readonly mutant: TableMutant;
  private lastSegment: Put | undefined;
  readonly steering: Steering;
  /** What was done to the rows, in order, and what they answered; kept for a replay. */
  readonly journal: {
    readonly kind: 'put' | 'update' | 'remove' | 'query';
    readonly given: unknown;
    readonly answer: unknown;
  }[] = [];
  /** Called with what is about to be committed, before it is. */
  onSegment: (turn: string, segment: Segment) => void = () => undefined;

  constructor(world: World, mutant: TableMutant, conversationOf: (turn: string) => string | undefined) {
    this.world = world;
    this.steering = new Steering(world);
    this.mutant = mutant;
    this.conversationOf = conversationOf;
  }

  head(turn: string): Head | undefined {
    const row = this.rows.get({ pk: turn, sk: 'HEAD' });
    return row && headOf(row);
  }

  /** The table as one process has it: its calls are the process's, the rows are everybody's. */
  for(process: Process): Table {
    const { mutant, rows } = this;
    const own: Rows = {
      ...rows,
      get: (key) => {
        const row = mutant.runUnseen && key.sk === 'RUN' ? undefined : rows.get(key);
        const refused = this.refused.get(process.id);
        this.refused.delete(process.id);
        if (!row && mutant.imagined && key.sk === 'HEAD') return rows.get({ ...key, sk: 'HEAD imagined' });
        return mutant.get && key.sk === 'HEAD' ? mutant.get(row, refused) : row;
      },
      put: (write) => this.put(mutant.put?.(write) ?? write),
      update: (write) => {
        const retry = this.requests.has(write);
        this.requests.add(write);
        const head = write.key.sk === 'HEAD' ? this.head(write.key.pk) : undefined;
        return this.update(process, mutant.update?.(write, { retry, head }) ?? write);
      },
      query: (range) => {
        const found = this.mayBeStale(range) ?? this.readable(rows.query(range));
        return mutant.query && range.from.startsWith('S#') ? mutant.query(range, found, this) : found;
      },
    };
    return tableOver(this.kept(own), (call, effect) => {
      if (call.kind === 'update') mutant.request?.(call.detail as Update);
      return this.steering.call(process, call, effect);
    });
  }

  private kept(rows: Rows): Rows {
    const keeping =
      <G, A>(kind: 'put' | 'update' | 'remove' | 'query', call: (given: G) => A) =>
      (given: G): A => {
        const answer = call(given);
        this.journal.push({ kind, given, answer: Array.isArray(answer) ? [...answer] : answer });
        return answer;
      };
    return {
      ...rows,
      put: keeping('put', rows.put),
      update: keeping('update', rows.update),
      remove: keeping('remove', rows.remove),
      query: keeping('query', rows.query),
    };
  }

  /** For scripts: repeats the last put of a segment, as a request that arrives twice. */
  lastSegmentPut(): () => void {
    const write = this.lastSegment!;
    return () => void this.put(write);
  }

  private readable(rows: Row[]): Row[] {
    const { segment } = this.mutant;
    return segment ? rows.map((row) => (row.sk.startsWith('S#') ? segment(row) : row)) : rows;
  }

  private mayBeStale(range: Range): Row[] | undefined {
    if (!this.mutant.stale || !range.from.startsWith('S#') || !this.world.chance.hit(0.5)) return undefined;
    const past = this.snapshots.get(range.pk);
    return past && this.world.chance.pick(past).filter((row) => row.sk >= range.from && row.sk <= range.to);
  }

  private put(write: Put): 'written' | 'refused' {
    const { pk, sk } = write.row;
    if (sk.startsWith('S#') && this.mutant.stale) {
      const past = this.snapshots.get(pk) ?? [];
      past.push(this.rows.query({ pk, from: 'S#', to: 'S#~', limit: 10_000 }));
      this.snapshots.set(pk, past.slice(-4));
    }
    if (sk.startsWith('S#')) this.lastSegment = write;
    if (sk.startsWith('S#')) this.onSegment(pk, segmentOf(write.row));
    const outcome = this.rows.put(write);
    if (sk === 'HEAD' && outcome === 'written') this.written(pk, undefined, write.row, write.op);
    if (sk.startsWith('S#') && outcome === 'written') this.checkSegment(pk, this.rows.get(write.row)!);
    return outcome;
  }

  private update(process: Process, write: Update): Row | 'refused' {
    if (write.key.sk !== 'HEAD') return this.rows.update(write);
    const turn = write.key.pk;
    const before = this.rows.get(write.key);
    const batch = write.set?.bi as string | undefined;
    const row = this.rows.update(write);
    if (row === 'refused') {
      this.refused.set(process.id, write);
      if (write.op.startsWith('append') && batch !== undefined && this.lastBatch.get(turn) === batch)
        this.world.fail('a write was refused though HEAD holds its batch');
      return row;
    }
    if (batch !== undefined) this.lastBatch.set(turn, batch);
    this.written(turn, before, row, write.op);
    return row;
  }

  /** What no write of HEAD may ever do. */
  private written(turn: string, before: Row | undefined, row: Row, op: string): void {
    const { world } = this;
    const head = headOf(row);
    const was = before && headOf(before);
    const size = headSize(row);
    this.maxHead = Math.max(this.maxHead, size);
    if (size > 1_024) world.fail('HEAD is over 1,024 bytes');
    if (was && isTerminal(was) && (was.status !== head.status || was.tail !== head.tail))
      world.fail('a terminal state changed');
    if (was && was.tail > head.tail) world.fail('the tail went back');
    if (head.status === 'waiting' && head.cancelAsked !== undefined && head.phase !== 'delivering')
      world.fail('waiting with an acknowledged cancel');
    if (op === 'close foreign' && was?.status === 'running' && was.leaseEnd! > world.now + 500)
      world.fail('closed under a fresh lease');
    if (head.status === 'running' && was?.status !== 'running') this.checkAlone(turn);
    if (op === 'close foreign' || op === 'close absent') this.foreign.add(turn);
    this.commit(turn, head);
  }

  private checkAlone(turn: string): void {
    const conversation = this.conversationOf(turn);
    for (const row of this.rows.all())
      if (
        row.sk === 'HEAD' &&
        row.pk !== turn &&
        row.st === letterOf('running') &&
        this.conversationOf(row.pk) === conversation
      )
        this.world.fail('two turns of a conversation run');
  }

  /** The events a write committed, from hot and from the segments it let them go into. */
  private commit(turn: string, head: Head): void {
    const log = this.logs.get(turn) ?? [];
    this.logs.set(turn, log);
    if (head.forgotten) return;
    for (const { seq, event } of eventsOf(hotRows(head)))
      if (seq <= log.length && JSON.stringify(log[seq - 1]!.event) !== JSON.stringify(event))
        this.world.fail('a committed event changed');
    if (log.length >= head.tail) return;
    const fresh = new Map([...eventsOf(hotRows(head))].map((one) => [one.seq, one]));
    if (log.length < head.base)
      for (const row of this.readable(
        this.rows.query({
          pk: turn,
          from: `S#${String(log.length + 1).padStart(10, '0')}`,
          to: 'S#~',
          limit: 1_000,
        }),
      )) {
        const segment = segmentOf(row);
        if (!isBelieved(head, segment)) continue;
        for (const one of eventsOf(segment.rows)) if (!fresh.has(one.seq)) fresh.set(one.seq, one);
      }
    while (log.length < head.tail) {
      const next = fresh.get(log.length + 1);
      if (!next) {
        this.world.fail('a committed event is nowhere', `${turn} ${log.length + 1}`);
        return;
      }
      log.push(next);
    }
  }

  /** A row that readers believe equals the log. */
  checkSegment(turn: string, row: Row): void {
    const head = this.head(turn);
    const log = this.logs.get(turn) ?? [];
    if (this.mutant.trusting || !head || head.forgotten) return;
    const segment = segmentOf(this.readable([row])[0]!);
    if (!isBelieved(head, segment) || segment.last > log.length) return;
    for (const { seq, event } of eventsOf(segment.rows))
      if (JSON.stringify(log[seq - 1]?.event) !== JSON.stringify(event))
        this.world.fail('a believed row differs from the log');
  }
}

/** Rewrites a condition part by part; `undefined` drops the part. */
export function rewrite(
  condition: Condition | undefined,
  change: (part: Condition) => Condition | undefined,
): Condition | undefined {
  if (!condition) return undefined;
  if ('of' in condition) {
    const of = condition.of.map((part) => rewrite(part, change)).filter((part) => part !== undefined);
    return of.length === 0 ? undefined : change({ ...condition, of });
  }
  return change(condition);
}
