/**
 * The small signs in a room that a turn is being worked on: a read receipt at the start, typing until the end. They are
 * decoration: a failure is swallowed, and nothing waits for them but the end of the invocation.
 */
import type { MatrixSource } from '../turns/meta.ts';
import type { WorkDeps } from './ports.ts';

const TYPING_MS = 25_000;
const REFRESH_MS = 20_000;

/** Shows typing until `stop` is called; `stop` resolves when the room has been told, or could not be. */
export function showWork(
  deps: WorkDeps,
  source: MatrixSource,
  messages: readonly MatrixSource[],
): { stop(): Promise<void> } {
  const { matrix, clock } = deps;
  const over = new AbortController();
  const quietly = (call: Promise<unknown>) =>
    call.then(
      () => undefined,
      () => deps.count('PresenceFailures'),
    );
  async function work(): Promise<void> {
    await quietly(matrix.receipt(source.room, (messages.at(-1) ?? source).event));
    while (!over.signal.aborted) {
      await quietly(matrix.typing(source.room, true, TYPING_MS));
      await clock.sleep(REFRESH_MS, over.signal);
    }
    await quietly(matrix.typing(source.room, false, 0));
  }
  const working = work();
  return {
    async stop() {
      over.abort();
      await working;
    },
  };
}
