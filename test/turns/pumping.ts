/** A pump of a turn that has just started, with what it shows; it is stopped behind its test. */
import { afterEach } from 'vitest';
import { patient } from '../../functions/runtime/patience.ts';
import type { Message, TurnEvent } from '../../functions/turns/events.ts';
import { createPump, type LiveLine, type Pump } from '../../functions/turns/pump.ts';
import { type Rig, started, turnRig } from './rig.ts';

export const say = (text: string): TurnEvent => ({ type: 'text', part: 1, text });
export const message: Message = { id: 'm', role: 'assistant', content: 'all', createdAt: 'now' };

export type Pumping = {
  readonly rig: Rig;
  readonly turn: string;
  readonly pump: Pump;
  readonly live: LiveLine[];
  /** ms since the beginning. */
  readonly at: () => number;
};
const pumps: Pump[] = [];

/** How long the table under it repeats a call, ms. */
export const PATIENCE_MS = 60_000;

export async function pumping({ queued = true } = {}): Promise<Pumping> {
  const rig = turnRig();
  const { turn, head } = await started(rig, 'T');
  rig.writes.length = 0;
  const live: LiveLine[] = [];
  const { clock, random } = rig.deps;
  const table = patient(rig.table, clock, random, () => PATIENCE_MS);
  const pump = createPump({ table, clock, random, turn, head, queued, live: (line) => live.push(line) });
  pumps.push(pump);
  return { rig, turn, pump, live, at: clock.monotonic };
}

afterEach(async () => {
  for (const pump of pumps.splice(0)) await pump.stop();
});

/** When which writes were made. */
export const writesOf = ({ rig }: Pumping): string[] => rig.writes.map(({ op, at }) => `${op} ${at}`);
