/**
 * The homeserver's pulse: when its last transaction came, noted at most once a minute, and since when it does not answer.
 * A silence in which it does not answer either is an outage, and behind an outage rooms may have a gap.
 */
import type { Row, Table } from '../runtime/table.ts';
import { keys } from './keys.ts';

export type Pulse = {
  /** When the newest transaction came, ms; undefined before the first. */
  readonly heard?: number;
  /** Since when the homeserver is known to be away, ms. */
  readonly awaySince?: number;
};

const NOTE_EVERY_MS = 60_000;

export async function readPulse(table: Table): Promise<Pulse> {
  const row: Row | undefined = await table.get(keys.pulse());
  return {
    ...(row?.heard !== undefined && { heard: row.heard as number }),
    ...(row?.away !== undefined && { awaySince: row.away as number }),
  };
}

/** Notes transactions. What it remembers only spares writes. */
export function pulseNoter(table: Table): (now: number) => Promise<void> {
  let noted = Number.NEGATIVE_INFINITY;
  return async (now) => {
    if (now - noted < NOTE_EVERY_MS) return;
    noted = now;
    await table.update({ op: 'pulse', key: keys.pulse(), set: { heard: now } });
  };
}

export async function noteAway(table: Table, now: number): Promise<void> {
  await table.update({ op: 'away', key: keys.pulse(), init: { away: now } });
}

export async function noteBack(table: Table): Promise<void> {
  await table.update({ op: 'back', key: keys.pulse(), remove: ['away'] });
}
