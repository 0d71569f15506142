/** What the benches of the stream measure: 100 words a second for ten seconds, a pause of five, and a last second. */
import { tokens } from '../tokens.ts';

export const EVERY_MS = 10;
const FIRST = 1_000;
const LAST = 100;
const PAUSE_MS = 5_000;
/** The last words before the pause: those of its last tenth of a second. */
const BEFORE_PAUSE = 10;

export type Load = {
  readonly texts: readonly string[];
  /** When each word was produced, by its index; monotonic ms. */
  readonly produced: number[];
  /** Whether a word is one of the last before the pause. */
  isBeforePause(index: number): boolean;
  /** Calls with each word's index when it is due. */
  run(word: (index: number) => void | Promise<void>): Promise<void>;
};

export function load(): Load {
  const texts = tokens(FIRST + LAST);
  const produced: number[] = [];
  return {
    texts,
    produced,
    isBeforePause: (index) => index >= FIRST - BEFORE_PAUSE && index < FIRST,
    async run(word) {
      let due = performance.now();
      for (const index of texts.keys()) {
        if (index === FIRST) due += PAUSE_MS;
        const wait = due - performance.now();
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        produced[index] = performance.now();
        await word(index);
        due += EVERY_MS;
      }
    },
  };
}
