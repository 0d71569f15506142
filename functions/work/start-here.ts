/**
 * Starts a turn that a client asked for and runs it in this invocation, live lines at once; it goes on when the client
 * goes away, and a worker takes it over when the invocation dies. The same request again follows the first.
 */

import { noRow } from '../runtime/table.ts';
import { cancel } from '../turns/cancel.ts';
import { type Head, headAttributes, headOf, isTerminal, LEASE_MS } from '../turns/head.ts';
import { hashOf } from '../turns/ids.ts';
import { keys } from '../turns/keys.ts';
import { getMeta, type Meta, putMeta } from '../turns/meta.ts';
import type { LiveLine } from '../turns/pump.ts';
import { takeRun } from '../turns/run.ts';
import { createQueued } from '../turns/start.ts';
import { freshBatch } from '../turns/takeover.ts';
import { runAttempt } from './attempt.ts';
import { nudgeHolder } from './nudge.ts';
import type { Invocation, WorkDeps } from './ports.ts';

export type WhenBusy = 'reject' | 'enqueue' | 'interrupt';

export type StartRequest = {
  readonly turn: string;
  readonly meta: Meta;
  readonly whenBusy: WhenBusy;
  readonly invocation: Invocation;
  /** The first is the start event, before the model is called. */
  readonly live: (line: LiveLine) => void;
};

export type Started =
  /** It ran here, to its end or until it waits or is another's; its log says which. */
  | { readonly kind: 'ran' }
  /** The turn is there, or on its way, without us: follow it. */
  | { readonly kind: 'follow' }
  /** The same key stands for other words. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'busy'; readonly turn: string }
  /** The running turn is being delivered and can't be interrupted any more. */
  | { readonly kind: 'too late'; readonly turn: string };

const WATCH_S = 15;
/** A watchdog message older than this is sent again before HEAD is written: its first one may be given up by then; ms. */
const WATCH_OLD_MS = 30_000;
/** How long an interrupted turn is waited for, ms. */
const INTERRUPT_MS = 5_000;

export async function startHere(deps: WorkDeps, request: StartRequest): Promise<Started> {
  const { table, clock } = deps;
  const { turn, meta } = request;
  await deps.queue.watch(turn, WATCH_S);
  let watchedAt = clock.monotonic();
  await putMeta(table, turn, meta);
  const stands = await getMeta(table, turn);
  const row = await table.get(keys.head(turn));
  // A forgotten turn is the first's, whatever the words.
  if (stands?.input !== undefined && hashOf(stands.input) !== hashOf(meta.input ?? ''))
    return { kind: 'conflict' };
  if (row) return { kind: 'follow' };
  const run = await reach(deps, request);
  if (run !== 'held') return run;
  if (clock.monotonic() - watchedAt > WATCH_OLD_MS) {
    await deps.queue.watch(turn, WATCH_S);
    watchedAt = clock.monotonic();
  }
  const head = await putRunning(deps, turn, meta);
  if (!head) return { kind: 'follow' };
  await runAttempt(deps, { turn, meta, head, invocation: request.invocation, live: request.live });
  return { kind: 'ran' };
}

/** RUN, or what the client is told instead. */
async function reach(deps: WorkDeps, { turn, meta, whenBusy }: StartRequest): Promise<'held' | Started> {
  const until = deps.clock.monotonic() + INTERRUPT_MS;
  for (;;) {
    const run = await takeRun(deps, meta.conversation, turn);
    if (run.kind === 'held') return 'held';
    await nudgeHolder(deps, run);
    const busy = { kind: 'busy', turn: run.turn } as const;
    if (whenBusy === 'reject') return busy;
    if (whenBusy === 'enqueue') {
      await createQueued(deps.table, turn, meta);
      await deps.queue.send(turn, meta.conversation, `${turn}.run.1`);
      return { kind: 'follow' };
    }
    const cancelled = await cancel(deps, run.turn, 'interrupted');
    if (cancelled.kind === 'too late') return { kind: 'too late', turn: run.turn };
    if (deps.clock.monotonic() > until) return busy;
    await deps.clock.sleep(200);
  }
}

/** HEAD of a running first attempt, under a batch of our own; undefined if another HEAD stands there. */
async function putRunning(deps: WorkDeps, turn: string, meta: Meta): Promise<Head | undefined> {
  const batch = freshBatch(deps.random);
  const attributes = headAttributes({
    attempt: 1,
    status: 'running',
    phase: 'model',
    tail: 0,
    base: 0,
    safePoint: 0,
    batch,
    hot: '[]',
    leaseEnd: deps.clock.now() + LEASE_MS,
    expires: meta.expires,
  });
  await deps.table.put({ op: 'head running', row: { ...keys.head(turn), ...attributes }, when: noRow });
  const row = await deps.table.get(keys.head(turn));
  const head = row && headOf(row);
  return head?.batch === batch && !isTerminal(head) ? head : undefined;
}
