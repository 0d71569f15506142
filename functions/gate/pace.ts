/**
 * W: catches two machines that answer each other. It counts one sender's accepted messages that came within 10 s of our
 * reply to the one before, nobody else's accepted in between; at twelve the next is refused for 2 min, doubling up to a day.
 */
import { absent, all, any, eq, noRow, oneOf, type Row, type Table } from '../runtime/table.ts';
import { keys } from './keys.ts';

export type Pace = {
  readonly sender: string;
  /** Accepted messages in a row that came at once. */
  readonly count: number;
  /** The sender's last accepted (or refused) event, and when we replied to it. */
  readonly last: string;
  readonly repliedAt?: number;
  /** No answer until then, ms; the next pause, ms. */
  readonly until?: number;
  readonly pause: number;
};

const AT_ONCE_MS = 10_000;
const FORGIVEN_MS = 60_000;
const LOOP_LENGTH = 12;
const FIRST_PAUSE_MS = 120_000;
const LONGEST_PAUSE_MS = 24 * 3600_000;

export function paceOf(row: Row | undefined): Pace | undefined {
  if (!row) return undefined;
  return {
    sender: row.sender as string,
    count: row.n as number,
    last: row.last as string,
    pause: row.pause as number,
    ...(row.ra !== undefined && { repliedAt: row.ra as number }),
    ...(row.until !== undefined && { until: row.until as number }),
  };
}

/** What a message of the sender at `now` makes of the pace: whether it is refused, and the row it leaves behind. */
export function step(
  pace: Pace | undefined,
  sender: string,
  event: string,
  now: number,
): { loop: boolean; next: Pace } {
  const fresh: Pace = { sender, count: 0, last: event, pause: FIRST_PAUSE_MS };
  if (pace?.sender !== sender) return { loop: false, next: fresh };
  if (pace.until !== undefined && now < pace.until) return { loop: true, next: pace };
  const since = pace.repliedAt === undefined ? Number.POSITIVE_INFINITY : now - pace.repliedAt;
  if (since > FORGIVEN_MS) return { loop: false, next: { ...fresh, pause: pace.pause } };
  const count = since <= AT_ONCE_MS ? pace.count + 1 : pace.count;
  if (count <= LOOP_LENGTH) return { loop: false, next: { ...fresh, count, pause: pace.pause } };
  const pause = Math.min(pace.pause * 2, LONGEST_PAUSE_MS);
  return { loop: true, next: { ...fresh, until: now + pace.pause, pause } };
}

/** Writes what {@link step} left, if nobody counted another event meanwhile. Counts an event once. */
export async function countPace(
  table: Table,
  room: string,
  seen: Pace | undefined,
  next: Pace,
  now: number,
): Promise<void> {
  const { sender, count, last, until, pause } = next;
  const row = {
    ...keys.pace(room),
    sender,
    n: count,
    last,
    pause,
    ex: Math.floor(now / 1000) + 2 * 24 * 3600,
  };
  await table.put({
    op: 'pace',
    row: until === undefined ? row : { ...row, until },
    when: seen ? any(noRow, eq('last', seen.last)) : noRow,
  });
}

/** The bot replied to these events; kept if one of them is the last that was counted. */
export async function replied(
  table: Table,
  room: string,
  events: readonly string[],
  now: number,
): Promise<void> {
  if (events.length === 0) return;
  await table.update({
    op: 'pace replied',
    key: keys.pace(room),
    set: { ra: now },
    when: all(oneOf('last', events), absent('ra')),
  });
}
