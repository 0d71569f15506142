/**
 * The shortcuts that must fail the log's model, each a small change of the test's own ports: a weaker condition, another
 * key, an answer that says too much. The product has no switch for any of them.
 */
import type { Condition, Row, Update, Value } from '../../functions/runtime/table.ts';
import { rewrite } from './log-table.ts';
import type { Mutant } from './system.ts';

const without =
  (name: string, ops: RegExp, is?: Condition['is']) =>
  (write: Update): Update => {
    if (write.key.sk !== 'HEAD' || !ops.test(write.op)) return write;
    const drop = (part: Condition) =>
      'name' in part && part.name === name && (is === undefined || part.is === is) ? undefined : part;
    return { ...write, when: rewrite(write.when, drop) };
  };

/** Rewrites the rows of `h` in a write of HEAD. */
function withHot(write: Update, change: (rows: unknown[][]) => unknown[][]): Update {
  const rows = JSON.parse(write.set!.h as string) as unknown[][];
  return { ...write, set: { ...write.set, h: JSON.stringify(change(rows)) } };
}

const segment = (row: Row) => {
  const [, last, attempt] = row.sk.split('#');
  return { last: last!, attempt: attempt! };
};

export const mutants: Readonly<Record<string, Mutant>> = {
  'last lines live before their write': { early: true },
  'plain S#<seq> key': {
    put: (write) => {
      if (!write.row.sk.startsWith('S#')) return write;
      const { last, attempt } = segment(write.row);
      return {
        ...write,
        row: { ...write.row, sk: `S#${last}#0`, attempt: Number(attempt) },
        when: undefined,
      };
    },
    segment: (row) => ({ ...row, sk: `S#${segment(row).last}#${row.attempt}` }),
  },
  'no reader’s filter': {
    trusting: true,
    query: (range, rows, log) =>
      rows.map((row) => ({ ...row, sk: `S#${segment(row).last}#${log.head(range.pk)?.attempt ?? 1}` })),
  },
  'plain put of a segment': {
    put: (write) => (write.op === 'segment' ? { ...write, when: undefined } : write),
  },
  'stale segments, no contiguity check': {
    stale: true,
    query: (range, rows) => filled(range.from, range.to, rows),
  },
  'foreign close without a new attempt': {
    update: (write, { head }) => {
      if (write.op !== 'close foreign' || !head || head.attempt === 0) return write;
      const closed = withHot(write, (rows) =>
        rows
          .filter(([seq, type]) => type !== 'rewind' || (seq as number) <= head.tail)
          .map(([seq, ...rest]) => [(seq as number) > head.tail ? (seq as number) - 1 : seq, ...rest]),
      );
      const { bd: _, ...set } = closed.set as Record<string, Value>;
      return { ...closed, set: { ...set, a: head.attempt, t: (write.set!.t as number) - 1 } };
    },
  },
  'takeover without the tail': { update: without('t', /^(take over|close foreign)$/) },
  'delivering without the cancel condition': { update: without('cx', /^append delivering$/) },
  'waiting without the cancel condition': { update: without('cx', /^append waiting$/) },
  'status before batch': {
    update: (write) =>
      write.key.sk === 'HEAD' && write.op.startsWith('append')
        ? { ...write, when: { is: 'all', of: [{ is: '=', name: 'st', value: 'r' }, write.when!] } }
        : write,
  },
  'no batch id': {
    update: (write) => {
      if (write.key.sk !== 'HEAD' || !write.op.startsWith('append')) return write;
      return without('bi', /./)(write);
    },
  },
  'batch grows on retry': {
    update: (write, { retry }) => {
      if (!retry || write.op !== 'append plain') return write;
      const tail = (write.set!.t as number) + 1;
      const grown = withHot(write, (rows) => [...rows, [tail, 'data', { late: true }]]);
      return { ...grown, set: { ...grown.set, t: tail } };
    },
  },
  'refused without comparing the tail': {
    get: (row, refused) => {
      const tail = refused?.op.startsWith('append') ? tailOf(refused.when!) : undefined;
      return row && tail !== undefined ? { ...row, t: tail } : row;
    },
  },
  'FINAL without attempt': {
    put: (write) => (write.op === 'final' ? { ...write, row: { ...write.row, sk: 'FINAL#0' } } : write),
    finalOf: () => 0,
  },
  'safe point of the start fixed at 1': {
    update: (write) => {
      if (write.op !== 'append plain' || !/"start"/.test(String(write.set!.h))) return write;
      return { ...write, set: { ...write.set, sp: 1 } };
    },
  },
  'part looked up by attempt number': { look: (attempt) => attempt > 1 },
  'RUN replaced without closing the absent holder': {
    put: (write) =>
      write.op === 'close absent' ? { ...write, row: { ...write.row, sk: 'HEAD imagined' } } : write,
    imagined: true,
  },
  'RUN of a waiting holder without the fence': {
    update: (write) => (write.op === 'fence' ? { ...write, set: {}, when: undefined } : write),
  },
  'close under a fresh lease': { update: without('le', /^(take over|close foreign)$/) },
  'client without from': { client: 'no from' },
  'client’s rule without the attempt': { client: 'no attempt in the rule' },
  'cursor without attempt': { client: 'cursor without attempt' },
  'bye moves the client': { client: 'bye moves' },
};

function tailOf(when: Condition): number | undefined {
  if ('of' in when) return when.of.map(tailOf).find((tail) => tail !== undefined);
  return when.is === '=' && when.name === 't' ? (when.value as number) : undefined;
}

/** A reader that does not count: whatever is missing between two rows is passed over. */
function filled(from: string, to: string, rows: Row[]): Row[] {
  const [first, end] = [Number(from.split('#')[1]), Number(to.split('#')[1])];
  const out: Row[] = [];
  let next = first;
  const skip = (upTo: number) => {
    const hole = Array.from({ length: upTo - next }, (_, i) => [next + i, 'x-nothing', {}]);
    if (hole.length > 0)
      out.push({ pk: '', sk: `S#${String(upTo - 1).padStart(10, '0')}#1`, f: next, h: JSON.stringify(hole) });
  };
  for (const row of rows) {
    if ((row.f as number) > next) skip(row.f as number);
    out.push(row);
    next = Math.max(next, Number(segment(row).last) + 1);
  }
  skip(end + 1);
  return out;
}
