/**
 * A person's stop. A running turn is asked, and its owner closes it at its next write; a turn that nobody runs is closed
 * at once. Once acknowledged, the turn never ends `complete`; once its delivery has begun, a stop is too late.
 */
import { asksCancel } from './conditions.ts';
import type { EndStatus } from './events.ts';
import { headChange, headOf, isTerminal, leaseOver, type Status } from './head.ts';
import { keys } from './keys.ts';
import { closeForeign, type OwnerDeps } from './takeover.ts';

export type Cancelled =
  | { readonly kind: 'unknown' }
  /** It is over, or it will end as `cancelled`. */
  | { readonly kind: 'stopping'; readonly status: Extract<Status, EndStatus | 'running'> }
  | { readonly kind: 'too late' }
  /** `unstarted` was asked for, and the turn has started. */
  | { readonly kind: 'started' };

/** Repeatable. `unstarted`: only while the turn has no start event, so that nothing it took along is lost with it. */
export async function cancel(
  deps: OwnerDeps,
  turn: string,
  reason: string,
  options: { readonly unstarted?: boolean } = {},
): Promise<Cancelled> {
  const { table, clock } = deps;
  for (;;) {
    const asked = await table.update({
      op: 'cancel',
      key: keys.head(turn),
      ...headChange({ cancelAsked: clock.now() }),
      when: asksCancel(options.unstarted ?? false),
    });
    if (asked !== 'refused') return { kind: 'stopping', status: 'running' };
    const row = await table.get(keys.head(turn));
    if (!row) return { kind: 'unknown' };
    const head = headOf(row);
    if (isTerminal(head)) return { kind: 'stopping', status: head.status as EndStatus };
    if (head.phase === 'delivering') return { kind: 'too late' };
    const over = leaseOver(head, clock.now());
    if (head.cancelAsked !== undefined && head.status === 'running' && !over)
      return { kind: 'stopping', status: 'running' };
    if (options.unstarted && head.safePoint > 0) return { kind: 'started' };
    if (head.status === 'running' && !over) continue;
    const closed = await closeForeign(deps, turn, head, { status: 'cancelled', reason });
    if (closed !== 'refused') return { kind: 'stopping', status: 'cancelled' };
  }
}
