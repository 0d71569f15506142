/**
 * Shows a client the turn that runs in its own invocation, each event as it is emitted: the same bytes and cursors as
 * they are stored with. The turn never waits for the client: one that is too slow, or that a line was withheld from,
 * goes on from the log instead.
 */
import type { Clock } from '../runtime/clock.ts';
import { BEGINNING, type Cursor, cursorText, parseCursor } from '../turns/cursor.ts';
import type { LogLine } from '../turns/lines.ts';
import type { LiveLine } from '../turns/pump.ts';
import type { Out } from './ports.ts';
import type { Teller } from './tell.ts';

/** A client that leaves more than this lying is too slow, bytes. */
const MAX_WAITING = 256 * 1024;

export type Live = {
  /** Takes a line from the pump. Never waits and never throws. */
  readonly push: (line: LiveLine) => void;
  /** Resolves with the first line, which is not told before {@link Live.attach}. */
  readonly first: Promise<unknown>;
  /** Tells what came so far, and from then on what comes. */
  attach(out: Out, teller: Teller): void;
  /** Where the client stands. */
  cursor(): Cursor;
  /** `ended`: the turn's last line was told. `lost`: the client is to go on from the log. */
  state(): 'live' | 'lost' | 'ended';
  /** Resolves when the state is no longer `live`. */
  readonly settled: Promise<unknown>;
};

/** `created`: when the turn began, ms; lines say how long after that they came. */
export function createLive(clock: Clock, created: number): Live {
  const held: LogLine[] = [];
  const first = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  let tellTo: ((line: LogLine) => void) | undefined;
  let cursor = BEGINNING;
  let state: ReturnType<Live['state']> = 'live';

  const settle = (how: 'lost' | 'ended') => {
    state = how;
    settled.resolve();
  };
  const tell = (out: Out, teller: Teller) => (line: LogLine) => {
    if (state !== 'live') return;
    if (line.from > cursor.seq + 1 || out.waiting() > MAX_WAITING) return settle('lost');
    teller.tell(line);
    cursor = parseCursor(line.cursor)!;
    if (line.type === 'turn_status') settle('ended');
  };

  return {
    first: first.promise,
    settled: settled.promise,
    cursor: () => cursor,
    state: () => state,
    push({ seq, attempt, event }) {
      const line = { ...event, from: seq, cursor: cursorText({ attempt, seq }), _t: clock.now() - created };
      if (tellTo) tellTo(line);
      else held.push(line);
      first.resolve();
    },
    attach(out, teller) {
      tellTo = tell(out, teller);
      for (const line of held.splice(0)) tellTo(line);
    },
  };
}
