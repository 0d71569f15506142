/**
 * The shortcuts that must fail the flow's model, as far as their flows are built: each a small change of the test's own
 * ports. The product has no switch for any of them.
 */
import type { Row, Update } from '../../../functions/runtime/table.ts';
import type { Rows } from '../../fakes/table.ts';
import type { Process } from '../world.ts';
import type { FlowMutant } from './system.ts';

const isRecord = (key: { sk: string }) => key.sk === 'E';

/** Decisions that a process has made and not yet written. */
function decisionLast(rows: Rows, process: Process): Rows {
  const held = (process as { held?: Map<string, Update> }).held ?? new Map<string, Update>();
  (process as { held?: Map<string, Update> }).held = held;
  return {
    ...rows,
    update(write) {
      if (write.op === 'decide message') {
        const there = rows.get(write.key);
        if (there?.dec !== undefined) return 'refused';
        held.set(write.key.pk, write);
        return { ...there, ...write.key, ...write.set } as Row;
      }
      const decision = write.op === 'finish' ? held.get(write.key.pk) : undefined;
      if (decision) rows.update(decision);
      held.delete(write.key.pk);
      return rows.update(write);
    },
  };
}

/** A decided record passes for a finished one when a transaction is read. */
const seenIsEnough = (rows: Rows): Rows => ({
  ...rows,
  getMany: (keys) =>
    rows.getMany(keys).map((row) => (isRecord(row) && row.dec !== undefined ? { ...row, fin: true } : row)),
});

/** A limit counts what comes, and cannot tell that it came before. */
const counts = (rows: Rows): Rows => ({
  ...rows,
  update(write) {
    if (write.op !== 'limit') return rows.update(write);
    const [id] = write.add!.ids as ReadonlySet<string>;
    const ids = (rows.get(write.key)?.ids as ReadonlySet<string> | undefined) ?? new Set<string>();
    const again = ids.has(id!) ? `${id} ${ids.size}` : id!;
    const when =
      write.when && 'of' in write.when
        ? { ...write.when, of: write.when.of.filter((part) => part.is !== 'contains') }
        : write.when;
    return rows.update({ ...write, add: { ids: new Set([again]) }, ...(when && { when }) });
  },
});

/** Who asked for a redaction is seen by the winner of the commit, and by nobody who reads. */
const redactorsUnread = (rows: Rows): Rows => {
  const without = (row: Row | undefined) => {
    if (!row || !isRecord(row)) return row;
    const { reds: _, ...rest } = row;
    return rest as Row;
  };
  return {
    ...rows,
    get: (key) => without(rows.get(key)),
    getMany: (keys) => rows.getMany(keys).map((row) => without(row)!),
  };
};

/** A redaction only touches what is there. */
const onlyThere = (rows: Rows): Rows => ({
  ...rows,
  update: (write) =>
    rows.update(
      /^(redacted|redact message)$/.test(write.op)
        ? { ...write, when: { is: 'present', name: 'pk' } }
        : write,
    ),
});

/** A capture does not look for an edit that came before it. */
const noEarlierEdit = (rows: Rows): Rows => {
  let captured = false;
  return {
    ...rows,
    put(write) {
      captured = write.op === 'message';
      return rows.put(write);
    },
    query(range) {
      const found = captured && range.from.startsWith('X#') ? [] : rows.query(range);
      captured &&= !range.from.startsWith('X#');
      return found;
    },
  };
};

export const flowMutants: Readonly<Record<string, FlowMutant>> = {
  'decision recorded last': { gate: decisionLast },
  '200 on seen': { gate: seenIsEnough },
  'a fast path by transaction id': { byTransaction: true },
  'a limit as a number': { gate: counts },
  'start list not write-once': {
    turns: {
      update: (write) =>
        write.op === 'append plain' && /"start"/.test(String(write.set!.h))
          ? { ...write, set: { ...write.set, sp: 0 } }
          : write,
    },
  },
  'taken along closed before the start event': { closesFirst: true },
  'redactors judged by the winner only': { gate: redactorsUnread },
  'start without RUN': {
    turns: { runUnseen: true, put: (write) => (write.op === 'run' ? { ...write, when: undefined } : write) },
  },
  'a loser reports success': { loserSucceeds: true },
  'a redaction does not create its rows': {
    gate: onlyThere,
    memory: onlyThere,
    turns: {
      put: (write) =>
        /^(meta tombstone|close absent)$/.test(write.op)
          ? { ...write, row: { ...write.row, pk: 'nowhere' } }
          : write,
    },
  },
  'a capture that looks for no earlier edit': { memory: noEarlierEdit },
};
