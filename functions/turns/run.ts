/**
 * RUN, a conversation's one running turn: nothing of a conversation starts without it. It is never released; the
 * holder's HEAD is the truth about whether it still holds. Each attempt to take it carries a fresh nonce.
 */
import { all, any, type Condition, eq, noRow, type Table } from '../runtime/table.ts';
import { fencesWaiting } from './conditions.ts';
import { asksConsent, type Head, headChange, headOf, isTerminal } from './head.ts';
import { keys } from './keys.ts';
import { closeAbsent, freshBatch, type OwnerDeps } from './takeover.ts';

/** A holder without HEAD is given this long to write it, ms. */
const START_MS = 30_000;
/** Longer than any turn lives, s. */
const KEEP_S = 60 * 24 * 3600;

/** `blocked`: another turn of the conversation goes first. Its HEAD is undefined while it is only starting. */
export type RunTaken =
  | { readonly kind: 'held' }
  | { readonly kind: 'blocked'; readonly turn: string; readonly head?: Head };

/** Takes RUN for a turn, which may hold it already. The caller has read its own HEAD before. */
export async function takeRun(deps: OwnerDeps, conversation: string, turn: string): Promise<RunTaken> {
  const { table, clock, random } = deps;
  const key = keys.run(conversation);
  for (;;) {
    const run = await table.get(key);
    const nonce = random.id(8);
    const put = (when: Condition) =>
      // A repeated put recognises its own nonce.
      table.put({
        op: 'run',
        row: { ...key, turn, nonce, at: clock.now(), ex: Math.floor(clock.now() / 1000) + KEEP_S },
        when: any(all(eq('turn', turn), eq('nonce', nonce)), when),
      });
    if (!run || run.turn === turn) {
      if ((await put(any(noRow, eq('turn', turn)))) === 'written') return { kind: 'held' };
      continue;
    }
    const holder = run.turn as string;
    let row = await table.get(keys.head(holder));
    if (!row) {
      if (clock.now() - (run.at as number) < START_MS) return { kind: 'blocked', turn: holder };
      // It may still be on its way: closing its HEAD first means that it can never start beside us.
      await closeAbsent(table, holder, clock.now(), { status: 'cancelled', reason: 'never_started' });
      row = await table.get(keys.head(holder));
      if (!row) continue;
    }
    const head = headOf(row);
    if (!isTerminal(head)) {
      if (!asksConsent(head)) return { kind: 'blocked', turn: holder, head };
      // A waiting holder is fenced, or it would go on from what it read before we replaced it.
      const batch = freshBatch(random);
      const fence = {
        op: 'fence',
        key: keys.head(holder),
        ...headChange({ batch }),
        when: fencesWaiting(head, batch),
      };
      if ((await table.update(fence)) === 'refused') continue;
    }
    if ((await put(all(eq('turn', holder), eq('nonce', run.nonce as string)))) === 'written')
      return { kind: 'held' };
  }
}

/** The turn that RUN names, unless it is `except`; it may be over. RUN is read first, then HEAD. */
export async function runOf(
  table: Table,
  conversation: string,
  except?: string,
): Promise<{ readonly turn: string; readonly head: Head } | undefined> {
  const run = await table.get(keys.run(conversation));
  const turn = run?.turn as string | undefined;
  if (turn === undefined || turn === except) return undefined;
  const row = await table.get(keys.head(turn));
  return row && { turn, head: headOf(row) };
}
