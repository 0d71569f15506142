/**
 * The rule by which a client takes lines: what it has already is a double, what does not join up is a gap, and a later
 * attempt takes over where its rewind says. Pure; the one place that moves a client's cursor.
 */
import type { Line, LogLine } from './wire.ts';

/** The last event a client has. */
export type Place = { readonly attempt: number; readonly seq: number };
export const BEGINNING: Place = { attempt: 1, seq: 0 };

export type Applied =
  /** The line is to be shown, and the client now stands there. */
  | { readonly kind: 'applied'; readonly place: Place; readonly line: LogLine }
  /** Seen before, or of an attempt that lost. */
  | { readonly kind: 'double' }
  /** Something is missing before it: reconnect from where the client stands. */
  | { readonly kind: 'gap' }
  /** It says something of the stream; only a named gap moves the client. */
  | { readonly kind: 'control'; readonly place: Place };

export function apply(place: Place, line: Line): Applied {
  if (!('from' in line))
    return { kind: 'control', place: line.type === 'gap' ? placeOf(line.cursor) : place };
  const at = placeOf(line.cursor);
  const next = place.seq + 1;
  if (at.attempt < place.attempt) return { kind: 'double' };
  if (line.from > next) return { kind: 'gap' };
  if (at.attempt === place.attempt && at.seq < next) return { kind: 'double' };
  return { kind: 'applied', place: at, line };
}

export function placeOf(cursor: string): Place {
  const [attempt, seq] = cursor.split('.').map(Number) as [number, number];
  return { attempt, seq };
}

export const cursorOf = ({ attempt, seq }: Place): string => `${attempt}.${seq}`;

/** The answer's words so far; a rewind takes back what lies behind it. Parts are apart by a blank line. */
export function createText(): { add(line: LogLine, seq: number): void; text(): string } {
  let pieces: { readonly seq: number; readonly part: unknown; readonly text: string }[] = [];
  return {
    add(line, seq) {
      if (line.type === 'rewind') pieces = pieces.filter((piece) => piece.seq <= line.to);
      if (line.type === 'text') pieces.push({ seq, part: line.part, text: line.text });
    },
    text: () =>
      pieces
        .map(({ part, text }, n) => (n > 0 && pieces[n - 1]!.part !== part ? '\n\n' : '') + text)
        .join(''),
  };
}
