/**
 * What goes on in the background of a turn: a read receipt at its start, typing until its end, and in a group a fresh list
 * of the members. A failure is counted and otherwise swallowed; nothing waits for it but the end of the work.
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
  const roster = source.roomKind === 'group' ? quietly(deps.refreshRoster(source.room)) : undefined;
  const working = work();
  return {
    async stop() {
      over.abort();
      await Promise.all([working, roster]);
    },
  };
}
