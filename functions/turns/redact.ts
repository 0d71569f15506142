/**
 * What a redaction does to the turn that answers the redacted message: its words go, a queued turn ends, a running one
 * with no other message left is cancelled, and the log of a finished one is forgotten. Repeatable from the top.
 */
import { all, type Condition, eq, hasRow, type Table } from '../runtime/table.ts';
import { cancel } from './cancel.ts';
import { isOver } from './conditions.ts';
import { behind, placeOf, unsay } from './conversation.ts';
import type { Numbered } from './events.ts';
import { type Head, headChange, headOf, isTerminal } from './head.ts';
import { keys } from './keys.ts';
import { canonical, readSegments, wholeLog } from './log.ts';
import { forgetInput, getMetas, type Meta } from './meta.ts';
import { allParts, forgetPart, REFUSED } from './parts.ts';
import { closeAbsent, closeForeign, type OwnerDeps } from './takeover.ts';

/**
 * `over` is false while the turn may still write words: it is not finished, or an owner that sleeps may wake. It is then
 * to be redacted again later. `answers`: the room's events that answered what was redacted and nothing else.
 */
export type TurnRedacted = { readonly over: boolean; readonly answers: readonly string[] };

/** After its lease an owner may sleep as long as an invocation lasts, and then put one more segment; ms. */
const SLEEP_MS = 16 * 60_000;

const nothing: TurnRedacted = { over: true, answers: [] };

/** `tombstone` is META without input, for a turn that is not there yet. */
export async function redactTurn(deps: OwnerDeps, turn: string, tombstone: Meta): Promise<TurnRedacted> {
  await forgetInput(deps.table, turn, tombstone);
  await closeAbsent(deps.table, turn, deps.clock.now(), { status: 'cancelled', reason: 'redacted' });
  return settle(deps, turn);
}

/** Somebody took back what a turn answered: what it wrote and said is forgotten, as if its question had been. */
export async function redactAnswer(deps: OwnerDeps, turn: string): Promise<{ over: boolean }> {
  const row = await deps.table.get(keys.head(turn));
  if (!row) return nothing;
  const head = headOf(row);
  if (!isTerminal(head)) return { over: false };
  await forgetLog(deps, turn, head, startMessages(await logOf(deps.table, turn, head)) ?? [turn]);
  return { over: isSettled(deps, head) };
}

/** Its person forgets a turn that is over: what was asked, written and said of it goes, the ids stay. Repeatable. */
export async function forgetTurn(deps: OwnerDeps, turn: string, meta: Meta): Promise<void> {
  const { table, clock } = deps;
  const row = await table.get(keys.head(turn));
  if (!row || !isTerminal(headOf(row))) return;
  await forgetInput(table, turn, meta);
  await unsay(table, meta.conversation, placeOf(turn, meta), clock.now());
  const head = headOf(row);
  await forgetLog(deps, turn, head, startMessages(await logOf(table, turn, head)) ?? [turn]);
}

/** No owner can write any more. */
const isSettled = ({ clock }: OwnerDeps, head: Head) => clock.now() > (head.leaseEnd ?? 0) + SLEEP_MS;

async function settle(deps: OwnerDeps, turn: string): Promise<TurnRedacted> {
  const { table } = deps;
  for (;;) {
    const row = await table.get(keys.head(turn));
    if (!row) return nothing;
    const head = headOf(row);
    if (head.status === 'queued') {
      await closeForeign(deps, turn, head, { status: 'cancelled', reason: 'redacted' });
      continue;
    }
    const log = await logOf(table, turn, head);
    if (head.reason === 'merged') {
      const into = log?.findLast(({ event }) => event.type === 'turn_status')?.event;
      return into?.type === 'turn_status' && into.into ? settle(deps, into.into) : nothing;
    }
    const messages = startMessages(log) ?? [turn];
    if (await hasWordsLeft(table, messages)) return nothing;
    if (isTerminal(head)) {
      const answers = await forgetLog(deps, turn, head, messages);
      return { over: isSettled(deps, head), answers };
    }
    const cancelled = await cancel(deps, turn, 'redacted', { unstarted: head.safePoint === 0 });
    if (cancelled.kind === 'started') continue;
    if (cancelled.kind === 'stopping' && cancelled.status !== 'running') continue;
    return { over: false, answers: [] };
  }
}

/** The log as far as it can be read: a turn whose segments are gone has none. */
async function logOf(table: Table, turn: string, head: Head): Promise<Numbered[] | undefined> {
  if (head.forgotten) return undefined;
  const log = wholeLog(head, await readSegments(table, turn, head, 0));
  return log && canonical(log);
}

/** The turns whose messages a turn answers, from its start event. */
export function startMessages(log: readonly Numbered[] | undefined): readonly string[] | undefined {
  const start = log?.find(({ event }) => event.type === 'start')?.event;
  return start?.type === 'start' ? start.messages : undefined;
}

async function hasWordsLeft(table: Table, turns: readonly string[]): Promise<boolean> {
  const metas = await getMetas(table, turns);
  return turns.some((turn) => metas.get(turn)?.input !== undefined);
}

/** Forgets what a finished turn wrote and said; the room's own copy is the room's. Returns the answer's event ids. */
export async function forgetLog(
  deps: OwnerDeps,
  turn: string,
  head: Head,
  messages: readonly string[],
): Promise<string[]> {
  const { table } = deps;
  // First, while the log still says which messages it answered.
  await unsayAnswer(deps, messages);
  // One write commits it: from here no reader takes anything from hot or segments.
  const forget: Condition = all(isOver, eq('t', head.tail));
  await table.update({
    op: 'forget',
    key: keys.head(turn),
    ...headChange({ hot: '[]', base: head.tail, forgotten: true }),
    when: forget,
  });
  // Emptied, not removed: a late put of the same segment finds a later batch there and is refused.
  for (const { pk, sk } of await table.query({ ...keys.everySegment(turn), limit: 10_000 }))
    await table.update({
      op: 'segment forget',
      key: { pk, sk },
      set: { n: Number.MAX_SAFE_INTEGER },
      remove: ['h'],
      when: hasRow,
    });
  for (const final of await table.query({ ...keys.everyFinal(turn), limit: 100 }))
    await table.remove({ op: 'final forget', key: final });
  const parts = await allParts(table, turn);
  for (const part of parts) await forgetPart(table, turn, part.name);
  return parts.flatMap(({ event }) => (event && event !== REFUSED ? [event] : []));
}

/** The answer stands in history behind the last message that still had its words: which one that was is not known any more. */
async function unsayAnswer({ table, clock }: OwnerDeps, messages: readonly string[]): Promise<void> {
  for (const [turn, meta] of await getMetas(table, messages))
    await unsay(table, meta.conversation, behind(placeOf(turn, meta)), clock.now());
}
