/**
 * Follows a turn for one client: what it has not seen, then what comes, to the turn's end. A client that can name a
 * cursor is sent away with `bye` after 55 s or 5 MB and comes back; one that can't is kept to the end of the invocation.
 * A slow client slows only itself.
 */
import type { Clock } from '../runtime/clock.ts';
import { type Cursor, parseCursor } from '../turns/cursor.ts';
import { type Attached, attach, type FollowDeps } from '../turns/follow.ts';
import type { Format } from '../turns/format.ts';
import type { Line } from '../turns/lines.ts';
import { badRequest, notFound, retryLater } from './http-error.ts';
import type { Answer, Out, StreamDeps, StreamRequest } from './ports.ts';
import { createTeller, type Teller } from './tell.ts';

const CONNECTION_MS = 55_000;
const MAX_BYTES = 5_000_000;
/** What is kept of an invocation for ending in good order, ms. */
export const RESERVE_MS = 20_000;

export const followDeps = ({ work }: StreamDeps): FollowDeps => ({
  table: work.table,
  clock: work.clock,
  random: work.random,
  nudge: (turn) => work.queue.watch(turn, 0),
});

/** The cursor the client names, by the query or as its last event's id. */
export function cursorOf({ query, headers }: StreamRequest): Cursor {
  const cursor = parseCursor(query.get('after') ?? headers['last-event-id'] ?? '0');
  if (!cursor) throw badRequest('after must be a cursor: attempt.seq');
  return cursor;
}

/** 404, 400 and 204 are known before the first byte. */
export async function followTurn(
  deps: StreamDeps,
  request: StreamRequest,
  turn: string,
  format: Format,
  after: Cursor,
): Promise<Answer> {
  const until = endOfConnection(deps.work.clock, request, format);
  const attached = await attach(followDeps(deps), turn, { after, until });
  switch (attached.kind) {
    case 'unknown':
      throw notFound();
    case 'other format':
      throw retryLater('this turn was written by another release');
    case 'bad cursor':
      throw badRequest('the turn has no such event');
    case 'ended':
      return { kind: 'empty', status: 204 };
  }
  return {
    kind: 'stream',
    headers: { ...format.headers, 'x-turnpike-turn': turn },
    async run(out) {
      const teller = createTeller(deps.work.clock, out, format.open(turn));
      await tellAttached(deps, { out, teller, format, until }, attached);
    },
  };
}

/** Monotonic ms. */
export function endOfConnection(clock: Clock, { invocation }: StreamRequest, format: Format): number {
  const left = invocation.remaining() - RESERVE_MS;
  return clock.monotonic() + (format.resumable ? Math.min(CONNECTION_MS, left) : left);
}

export type Telling = {
  readonly out: Out;
  readonly teller: Teller;
  readonly format: Format;
  /** Monotonic ms: a client that takes nothing is waited for until then. */
  readonly until: number;
};

/** Tells what there is to follow, and ends the text. A failure ends the connection and not the turn: the client returns. */
export async function tellAttached(deps: StreamDeps, telling: Telling, attached: Attached): Promise<void> {
  const told =
    attached.kind === 'following'
      ? tellAll(deps.work.clock, telling, attached.lines)
      : Promise.resolve('left' as const);
  const how = await told.catch((error: unknown) => {
    deps.fail(error);
    return 'left' as const;
  });
  await telling.teller.end(how);
}

/** Tells the lines until the turn's last. `left`: the connection ends before. */
export async function tellAll(
  clock: Clock,
  { out, teller, format, until }: Telling,
  lines: AsyncGenerator<Line, void>,
): Promise<'ended' | 'left'> {
  for await (const line of lines) {
    if (out.gone()) return 'left';
    teller.tell(line);
    if (line.type === 'turn_status') return 'ended';
    if (line.type === 'bye') return 'left';
    if (!(await hasRoom(clock, out, until))) return 'left';
    if (format.resumable && teller.bytes() > MAX_BYTES && 'cursor' in line) {
      teller.tell({ type: 'bye', cursor: line.cursor });
      return 'left';
    }
  }
  return 'left';
}

async function hasRoom(clock: Clock, out: Out, until: number): Promise<boolean> {
  if (out.waiting() === 0) return true;
  const room = new AbortController();
  const drained = out.drained().then(() => true);
  const late = clock.sleep(Math.max(0, until - clock.monotonic()), room.signal).then(() => false);
  const has = await Promise.race([drained, late]);
  room.abort();
  return has;
}
