/**
 * A ticket: leave to follow or stop one turn, for a page that must not hold the session. Good as often as it is shown,
 * since a reconnect whose answer was lost has shown it already.
 */
import type { AccessDeps, Allows, Caller } from './ports.ts';
import { sign } from './signing.ts';

const LONGEST_MS = 15 * 60_000;

/** `until` and `expires`: ms; at most 15 min from now. */
export async function mintTicket(
  deps: AccessDeps,
  caller: Caller,
  what: { readonly turn: string; readonly allows: Allows; readonly origin?: string; readonly until: number },
): Promise<{ readonly ticket: string; readonly expires: number }> {
  const { turn, allows, origin } = what;
  const expires = Math.min(what.until, deps.clock.now() + LONGEST_MS);
  const claims = { sub: caller.user, turn, allows, ...(origin !== undefined && { origin }) };
  return { ticket: await sign(deps, 'ticket', claims, expires), expires };
}
