/**
 * Sees to the homeserver when it has been silent: a ping ends the back-off into which it goes after our own outage, and
 * shows an outage of its own. When it is back, what it may have lost is read back.
 */
import { noteAway, noteBack, readPulse } from '../gate/pulse.ts';
import { isMatrixError } from '../matrix/client.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';
import { type CatchUpDeps, catchUpRooms } from './catch-up.ts';
import type { Count, Log } from './ports.ts';

export type KeepAliveDeps = CatchUpDeps & {
  readonly gate: Table;
  readonly clock: Clock;
  readonly appservice: string;
  readonly count: Count;
  readonly log: Log;
};

/** A transaction this fresh is proof enough, ms. */
const FRESH_MS = 2 * 60_000;
/** How far before an outage was noticed it may have begun, ms. */
const BEFORE_MS = 5 * 60_000;
const LIMITS = { rooms: 200, messages: 200 };

export async function keepAlive(deps: KeepAliveDeps): Promise<void> {
  const now = deps.clock.now();
  const { heard, awaySince } = await readPulse(deps.gate);
  if (heard !== undefined && now - heard < FRESH_MS && awaySince === undefined) return;
  try {
    await deps.matrix.ping(deps.appservice);
  } catch (error) {
    if (!isMatrixError(error)) throw error;
    deps.count('PingFailures');
    deps.log('the homeserver did not answer a ping as it should', {
      status: error.status,
      errcode: error.errcode,
    });
    return noteAway(deps.gate, now);
  }
  if (awaySince === undefined) return;
  deps.count('CaughtUp', await catchUpRooms(deps, awaySince - BEFORE_MS, LIMITS));
  await noteBack(deps.gate);
}
