/**
 * Taking along: what the same sender has waiting right behind a turn is answered with it. The list is committed in the
 * turn's start event and written once; only then are the turns it names closed as `merged`. Closing them is repeated by
 * each attempt, and whatever was not closed by then was closed by somebody else and is left out or already ours.
 */
import { dropUnfinished, unfinishedAfter } from '../turns/conversation.ts';
import { headOf, hotRows, isTerminal } from '../turns/head.ts';
import { keys } from '../turns/keys.ts';
import { getMeta, getMetas, type Meta } from '../turns/meta.ts';
import { eventsOf } from '../turns/rows.ts';
import { closeForeign } from '../turns/takeover.ts';
import type { WorkDeps } from './ports.ts';

const MAX_MESSAGES = 20;
const MAX_CHARACTERS = 60_000;

/** The turns to answer together, this one first: consecutive, from Matrix, of one sender, still queued. */
export async function gather(deps: WorkDeps, turn: string, meta: Meta): Promise<string[]> {
  const list = [turn];
  if (meta.source.kind !== 'matrix') return list;
  const sender = meta.source.sender;
  let characters = meta.input?.length ?? 0;
  const behind = await unfinishedAfter(deps.table, turn, meta, 2 * MAX_MESSAGES);
  const [metas, rows] = await Promise.all([
    getMetas(deps.table, behind),
    deps.table.getMany(behind.map(keys.head)),
  ]);
  const heads = new Map(rows.map((row) => [row.pk, headOf(row)]));
  for (const other of behind) {
    const [head, its] = [heads.get(other), metas.get(other)];
    if (head && isTerminal(head)) {
      if (its) await dropUnfinished(deps.table, other, its);
      continue;
    }
    characters += its?.input?.length ?? 0;
    const fits = list.length < MAX_MESSAGES && characters <= MAX_CHARACTERS;
    if (!fits || head?.status !== 'queued' || its?.source.kind !== 'matrix' || its.source.sender !== sender)
      break;
    list.push(other);
  }
  return list;
}

/**
 * Closes the turns taken along, and returns those that this one answers: itself and what ended as merged into it. A turn
 * that somebody else closed stays as it is and is left out. Repeatable.
 */
export async function closeMerged(
  deps: WorkDeps,
  turn: string,
  list: readonly string[],
): Promise<readonly string[]> {
  const answered: string[] = [];
  for (const other of list) {
    if (other === turn || (await merge(deps, other, turn))) answered.push(other);
  }
  return answered;
}

async function merge(deps: WorkDeps, other: string, into: string): Promise<boolean> {
  let row = await deps.table.get(keys.head(other));
  while (row && headOf(row).status === 'queued') {
    await closeForeign(deps, other, headOf(row), { status: 'cancelled', reason: 'merged', into });
    row = await deps.table.get(keys.head(other));
  }
  const meta = await getMeta(deps.table, other);
  if (meta) await dropUnfinished(deps.table, other, meta);
  // What was closed while it was queued has its end in the row itself.
  const end = row && [...eventsOf(hotRows(headOf(row)))].at(-1)?.event;
  return end?.type === 'turn_status' && end.into === into;
}

/** The messages a turn answers that still have their words, oldest first. Read by each attempt, after the closing. */
export async function messagesOf(deps: WorkDeps, list: readonly string[]): Promise<Meta[]> {
  const metas = await getMetas(deps.table, list);
  return list.map((turn) => metas.get(turn)).filter((meta): meta is Meta => meta?.input !== undefined);
}
