/** A client of a stream under virtual time: takes so many bytes a second, or goes away. */
import type { Out } from '../../functions/stream/ports.ts';
import type { VirtualClock } from '../dev/homeserver/virtual-clock.ts';

export type Client = Out & {
  /** What has reached it. */
  text(): string;
  /** What was written for it, with the ms at which it was. */
  readonly written: { readonly text: string; readonly at: number }[];
  leave(): void;
};

/** Without a speed it takes everything at once. */
export function clientOf(clock: VirtualClock, bytesPerSecond = Number.POSITIVE_INFINITY): Client {
  const written: { text: string; at: number }[] = [];
  let got = '';
  let line = '';
  let isGone = false;
  let taking: Promise<void> | undefined;
  const take = async () => {
    while (line !== '' && !isGone) {
      const piece = line.slice(0, Math.min(line.length, 100));
      await clock.sleep((piece.length / bytesPerSecond) * 1_000);
      got += piece;
      line = line.slice(piece.length);
    }
    taking = undefined;
  };
  return {
    written,
    text: () => got,
    write(text) {
      written.push({ text, at: clock.monotonic() });
      if (bytesPerSecond === Number.POSITIVE_INFINITY) got += text;
      else {
        line += text;
        taking ??= take();
      }
    },
    waiting: () => (isGone ? 0 : Buffer.byteLength(line)),
    drained: async () => taking,
    gone: () => isGone,
    leave() {
      isGone = true;
    },
  };
}
