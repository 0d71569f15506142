/**
 * A place in a turn's log as a client names it: `attempt.seq`, the last event it has. `0` is the beginning and a bare
 * number is one of attempt 1.
 */

export type Cursor = { readonly attempt: number; readonly seq: number };

export const BEGINNING: Cursor = { attempt: 1, seq: 0 };

export const cursorText = ({ attempt, seq }: Cursor): string => `${attempt}.${seq}`;

/** Undefined for anything that is no cursor (a 400). */
export function parseCursor(text: string): Cursor | undefined {
  const [, attempt, seq] = /^(?:(\d{1,3})\.)?(\d{1,10})$/.exec(text) ?? [];
  if (seq === undefined) return undefined;
  return { attempt: attempt === undefined ? 1 : Math.max(1, Number(attempt)), seq: Number(seq) };
}
