/** Tries an operator's pattern against ids made to make it slow; a pattern that takes too long is refused at the start. */
import { createContext, runInContext } from 'node:vm';

const LIMIT_MS = 50;

/** Repetition is what makes a pattern slow, so long runs of each kind of character, with an end that does not match. */
const HARD = ['a', '0', '-', '_.', 'ab', 'a0-'].map(
  (run) => `@${run.repeat(Math.ceil(200 / run.length))}!:server`,
);

export function matchesInTime(pattern: RegExp): boolean {
  const context = createContext({ pattern, ids: HARD });
  try {
    runInContext('for (const id of ids) pattern.test(id);', context, { timeout: LIMIT_MS * HARD.length });
    return true;
  } catch {
    return false;
  }
}
