/**
 * Writes lines to a client and keeps its connection alive. A filler follows the last line when nothing comes after it,
 * since Lambda may hold a small chunk until the next write; then a heartbeat every 10 s.
 */
import type { Clock } from '../runtime/clock.ts';
import type { Encoder } from '../turns/format.ts';
import type { Line } from '../turns/lines.ts';
import type { Out } from './ports.ts';

const FILLER_MS = 25;
const HEARTBEAT_MS = 10_000;

export type Teller = {
  tell(line: Line): void;
  /** Bytes told so far. */
  bytes(): number;
  /** Ends the body's text; `left`: before its turn ended. Nothing is written after it. */
  end(how: 'ended' | 'left'): Promise<void>;
};

export function createTeller(clock: Clock, out: Out, encoder: Encoder): Teller {
  let bytes = 0;
  let wrote = clock.monotonic();
  let filled = true;
  let over = false;
  let wake = new AbortController();

  const write = (text: string) => {
    if (text === '' || out.gone()) return;
    bytes += Buffer.byteLength(text);
    out.write(text);
    wrote = clock.monotonic();
  };
  const beat = async () => {
    while (!over) {
      const due = wrote + (filled ? HEARTBEAT_MS : FILLER_MS);
      const wait = due - clock.monotonic();
      if (wait > 0) {
        await clock.sleep(wait, wake.signal);
        if (wake.signal.aborted) wake = new AbortController();
        continue;
      }
      // A client that doesn't take what there is needs no more of it.
      if (out.waiting() === 0) write(encoder.heartbeat);
      wrote = clock.monotonic();
      filled = true;
    }
  };
  write(encoder.head);
  const beating = beat();

  return {
    bytes: () => bytes,
    tell(line) {
      const text = encoder.line(line);
      if (text === '') return;
      write(text);
      // The long sleep before a heartbeat would be too long for a filler.
      if (filled) wake.abort();
      filled = false;
    },
    async end(how) {
      over = true;
      wake.abort();
      await beating;
      write(encoder.end(how));
    },
  };
}
