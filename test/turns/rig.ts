/**
 * One turn over a table in memory, under a clock that a test moves: what its writes are called and when they were made,
 * and a store that may be away.
 */
import { type Row, type Table, Unavailable } from '../../functions/runtime/table.ts';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { type Head, headOf } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { readSegments, wholeLog } from '../../functions/turns/log.ts';
import type { Meta } from '../../functions/turns/meta.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { begin, type OwnerDeps } from '../../functions/turns/takeover.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { memoryRows, type Rows, tableOver } from '../fakes/table.ts';

export const START = 1_800_000_000_000;
export const CONVERSATION = 'conversation-of-this-one';

export type Write = { readonly op: string; readonly at: number };

export type Rig = {
  readonly clock: VirtualClock;
  readonly rows: Rows;
  readonly table: Table;
  readonly deps: OwnerDeps;
  /** Every put and update, by name, with the ms since the beginning. */
  readonly writes: Write[];
  /** No call is answered, nor takes effect, while it is. */
  away: boolean;
  /** Called right before a write of that name takes effect, once. */
  before(op: string, then: () => Promise<void> | void): void;
  head(turn: string): Head;
  row(turn: string, sk: string): Row | undefined;
  log(turn: string): Promise<Numbered[] | undefined>;
  events(turn: string): Promise<TurnEvent[]>;
};

export function turnRig(): Rig {
  const clock = virtualClock(START);
  const rows = memoryRows();
  const writes: Write[] = [];
  const pending = new Map<string, () => Promise<void> | void>();
  const rig = { away: false };
  const table = tableOver(rows, async (call, effect) => {
    if (rig.away) {
      await clock.sleep(1_500);
      throw new Unavailable(call.op);
    }
    if (call.kind === 'put' || call.kind === 'update') {
      const then = pending.get(call.op);
      pending.delete(call.op);
      await then?.();
      writes.push({ op: call.op, at: clock.monotonic() });
    }
    return effect();
  });
  const deps = { table, clock, random: seededRandom() };
  const head = (turn: string) => headOf(rows.get(keys.head(turn))!);
  const log = async (turn: string) =>
    wholeLog(head(turn), await readSegments(tableOver(rows), turn, head(turn), 0));
  return Object.assign(rig, {
    clock,
    rows,
    table,
    deps,
    writes,
    before: (op: string, then: () => Promise<void> | void) => void pending.set(op, then),
    head,
    row: (turn: string, sk: string) => rows.get({ pk: turn, sk }),
    log,
    events: async (turn: string) => (await log(turn))!.map(({ event }) => event),
  });
}

let made = 0;
/** The meta of another message of the conversation, one behind the other. */
export function metaOf(more: Partial<Meta> = {}): Meta {
  const index = String(made++ % 1_000).padStart(3, '0');
  return {
    tenant: 'hs',
    principal: '@ana:hs',
    conversation: CONVERSATION,
    order: `${START}${index}`,
    source: {
      kind: 'matrix',
      room: '!room:hs',
      roomKind: 'direct',
      event: `$event${index}`,
      sender: '@ana:hs',
      name: 'Ana',
      at: START,
    },
    input: `question ${index}`,
    created: START,
    expires: START / 1_000 + 30 * 24 * 3_600,
    ...more,
  };
}

export const turnId = (name: string): string => name.padEnd(22, 'x');

/** A queued turn; its id. */
export async function queued(rig: Rig, name: string, meta: Meta = metaOf()): Promise<string> {
  const turn = turnId(name);
  await createQueued(rig.table, turn, meta);
  return turn;
}

/** A turn that has been started, and HEAD as its owner has it. */
export async function started(rig: Rig, name: string, meta?: Meta): Promise<{ turn: string; head: Head }> {
  const turn = await queued(rig, name, meta);
  const head = await begin(rig.deps, turn, rig.head(turn));
  if (head === 'refused') throw new Error('the turn did not begin');
  return { turn, head };
}
