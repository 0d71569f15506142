/** A turn that has begun, for a bench to pump. */
import { headOf } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import type { Meta } from '../../functions/turns/meta.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { begin, type OwnerDeps } from '../../functions/turns/takeover.ts';

/** HEAD as its owner has it. */
export async function begun(deps: OwnerDeps, turn: string, meta: Meta) {
  await createQueued(deps.table, turn, meta);
  const head = await begin(deps, turn, headOf((await deps.table.get(keys.head(turn)))!));
  if (head === 'refused') throw new Error('the turn did not begin');
  return head;
}
