/**
 * What a worker does with a queue message of a turn: it decides from HEAD who runs the turn, and reports the message as
 * done only when the turn needs nobody any more, or waits for a person. A message's own life is the watchdog of its turn:
 * beside a healthy owner the worker waits, so a conversation's next message never starts early.
 */

import { DELIVERY_MS } from '../turns/batch.ts';
import { getConsent } from '../turns/consent.ts';
import {
  asksConsent,
  type Head,
  headOf,
  isExpired,
  isTerminal,
  LEASE_MARGIN_MS,
  leaseOver,
} from '../turns/head.ts';
import { keys } from '../turns/keys.ts';
import { readLog } from '../turns/log.ts';
import { getMeta, type Meta } from '../turns/meta.ts';
import { takeRun } from '../turns/run.ts';
import { begin, closeForeign, isKnownFormat, MAX_ATTEMPTS, takeOver } from '../turns/takeover.ts';
import { runAttempt } from './attempt.ts';
import { ask, settleRoom } from './note.ts';
import { nudgeHolder } from './nudge.ts';
import { again, done, type Handled, type Invocation, type WorkDeps } from './ports.ts';
import { SPARE_MS } from './send-once.ts';

export type Received = {
  readonly turn: string;
  readonly queue: 'turns' | 'watchdog';
  /** When the message was sent, ms. */
  readonly sentAt: number;
  readonly invocation: Invocation;
};

/** Below this the worker gives the message back instead of starting anything, which needs time to be ended well; ms. */
const NEARLY_OVER_MS = SPARE_MS;
/** A watchdog message of a turn nobody knows is given up this long after it was sent, ms. */
const UNKNOWN_MS = 60_000;
const WATCHDOG_S = 15;

export async function receiveTurn(deps: WorkDeps, message: Received): Promise<Handled> {
  const { turn, queue, invocation } = message;
  const watchdog = queue === 'watchdog';
  for (let round = 0; ; round++) {
    if (invocation.remaining() < NEARLY_OVER_MS) return again(5);
    const head = await readHead(deps, turn);
    const meta = head && (await getMeta(deps.table, turn));
    if (!head || !meta) return unknown(deps, message);
    if (!isKnownFormat(head)) return again(60);
    if (isTerminal(head)) {
      return (await settleRoom(deps, turn, meta, head, invocation)) === 'settled' ? done : again(60);
    }
    if (head.status === 'running' && !leaseOver(head, deps.clock.now())) {
      if (watchdog) return again(WATCHDOG_S);
      await deps.clock.sleep(waitBeside(deps, head));
      continue;
    }
    if (watchdog && head.status !== 'running') return again(WATCHDOG_S);
    if (asksConsent(head) && !(await getConsent(deps.table, turn, head.tail)))
      return stillAsking(deps, turn, meta, head, invocation);
    const next = await take(deps, turn, meta, head);
    if (next === 'blocked') {
      if (watchdog) return again(WATCHDOG_S);
      await deps.clock.sleep(500 + deps.random.unit() * 500);
      continue;
    }
    if (next === 'changed') {
      // Another taker was quicker: look again, but never in a tight loop.
      await deps.clock.sleep(50 * Math.min(round + 1, 20));
      continue;
    }
    const worked = await runAttempt(deps, { turn, meta, head: next, invocation });
    if (worked === 'waiting') return done;
    if (worked === 'unasked') return again(60);
    const after = await readHead(deps, turn);
    if (worked === 'paused') return again(pauseSeconds(deps, after));
    // Fenced: the turn is another's. Reporting success would delete the message under the living attempt's feet.
    if (!after || !isTerminal(after)) return again(1);
  }
}

async function readHead(deps: WorkDeps, turn: string): Promise<Head | undefined> {
  const row = await deps.table.get(keys.head(turn));
  const head = row && headOf(row);
  return head && !isExpired(head, deps.clock.now()) ? head : undefined;
}

/** A worker never creates a turn. A starting HTTP turn may have sent its watchdog before it wrote anything. */
function unknown(deps: WorkDeps, { queue, sentAt }: Received): Handled {
  if (queue === 'watchdog' && deps.clock.now() - sentAt <= UNKNOWN_MS) return again(WATCHDOG_S);
  deps.count('UnknownTurns');
  return done;
}

/** Until the lease would end, but looking up now and then: the owner may close at any time. */
function waitBeside(deps: WorkDeps, head: Head): number {
  const ends = (head.leaseEnd ?? 0) + LEASE_MARGIN_MS - deps.clock.now();
  return Math.max(200, Math.min(ends + 50, 2_500));
}

/** RUN first, then the start or the takeover: nothing of a conversation starts without it. */
async function take(
  deps: WorkDeps,
  turn: string,
  meta: Meta,
  head: Head,
): Promise<Head | 'blocked' | 'changed'> {
  const run = await takeRun(deps, meta.conversation, turn);
  if (run.kind === 'blocked') {
    await nudgeHolder(deps, run);
    return 'blocked';
  }
  if (head.status !== 'running') return orChanged(await begin(deps, turn, head));
  if (head.attempt >= MAX_ATTEMPTS) {
    await closeForeign(deps, turn, head, { status: 'error', reason: 'attempts_exhausted' });
    return 'changed';
  }
  deps.count('Takeovers');
  return orChanged(await takeOver(deps, turn, head));
}

const orChanged = (head: Head | 'refused') => (head === 'refused' ? 'changed' : head);

/** The turn waits for a person: the question is sent if the room has not seen it. */
export async function stillAsking(
  deps: WorkDeps,
  turn: string,
  meta: Meta,
  head: Head,
  invocation: Invocation,
): Promise<Handled> {
  const log = await readLog(deps.table, deps.clock, turn, head);
  const last = log === 'lost' ? undefined : log.at(-1);
  if (last?.event.type !== 'waiting') return again(1);
  const question = { turn, meta, seq: last.seq, event: last.event, look: true };
  return (await ask(deps, question, invocation)) === 'asked' ? done : again(60);
}

/** The pauses of a delivery grow with the time it has been under way, from 15 s to 5 min. */
function pauseSeconds(deps: WorkDeps, head: Head | undefined): number {
  const underWay = DELIVERY_MS - ((head?.dueAt ?? 0) - deps.clock.now());
  return Math.round(Math.min(300, Math.max(15, underWay / 4_000)));
}
