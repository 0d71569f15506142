/** Who listens to a turn: those who are called back, and loops that take its lines at their own pace. */
import type { ControlLine, LogLine } from './wire.ts';

export type Listener = (line: LogLine | ControlLine) => void;

export type Listeners = {
  tell(line: LogLine | ControlLine): void;
  /** Returns the way to stop. */
  on(listener: Listener): () => void;
  /** The lines of the log from now on, until `over` settles; throws what it rejects with. */
  lines(over: Promise<unknown>): AsyncGenerator<LogLine, void>;
};

export function createListeners(): Listeners {
  const listeners = new Set<Listener>();
  const on = (listener: Listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    on,
    tell(line) {
      for (const listener of listeners)
        try {
          listener(line);
        } catch (error) {
          // As with events of the platform: its own trouble, seen, and nobody else's.
          queueMicrotask(() => {
            throw error;
          });
        }
    },
    async *lines(over) {
      const waiting: LogLine[] = [];
      let wake = Promise.withResolvers<void>();
      let isOver = false;
      const end = () => {
        isOver = true;
        wake.resolve();
      };
      const off = on((line) => {
        if ('from' in line) waiting.push(line);
        wake.resolve();
      });
      over.then(end, end);
      try {
        for (;;) {
          const line = waiting.shift();
          if (line) yield line;
          else if (isOver) break;
          else {
            await wake.promise;
            wake = Promise.withResolvers();
          }
        }
        await over;
      } finally {
        off();
      }
    },
  };
}
