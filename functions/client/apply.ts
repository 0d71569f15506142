/**
 * The rule by which a client takes lines: what it has already is a double, what does not join up is a gap, and a later
 * attempt takes over where its rewind says. Pure; the one place that moves a client's cursor.
 */
import { type Cursor, parseCursor } from '../turns/cursor.ts';
import type { Line, LogLine } from './wire.ts';

export type Applied =
  /** The line is to be shown, and the client now stands there. */
  | { readonly kind: 'applied'; readonly place: Cursor; readonly line: LogLine }
  /** Seen before, or of an attempt that lost. */
  | { readonly kind: 'double' }
  /** Something is missing before it: reconnect from where the client stands. */
  | { readonly kind: 'gap' }
  /** It says something of the stream; only a named gap moves the client, and never back. */
  | { readonly kind: 'control'; readonly place: Cursor };

export function apply(place: Cursor, line: Line): Applied {
  if (!('from' in line)) {
    const to = line.type === 'gap' ? placeOf(line.cursor) : place;
    return { kind: 'control', place: isBehind(to, place) ? place : to };
  }
  const at = placeOf(line.cursor);
  const next = place.seq + 1;
  if (at.attempt < place.attempt) return { kind: 'double' };
  if (line.from > next) return { kind: 'gap' };
  if (at.attempt === place.attempt && at.seq < next) return { kind: 'double' };
  return { kind: 'applied', place: at, line };
}

const isBehind = (one: Cursor, other: Cursor): boolean =>
  one.attempt < other.attempt || (one.attempt === other.attempt && one.seq < other.seq);

/** The place a cursor names; a TypeError for what is none. */
export function placeOf(cursor: string): Cursor {
  const place = parseCursor(cursor);
  if (!place) throw new TypeError(`no cursor: ${cursor}`);
  return place;
}

/** The answer's words so far; a rewind takes back what lies behind it. Parts are apart by a blank line. */
export function createText(): { add(line: LogLine, seq: number): void; text(): string } {
  type Piece = { readonly seq: number; readonly part: unknown; readonly text: string };
  let pieces: Piece[] = [];
  let whole = '';
  const push = (piece: Piece) => {
    const before = pieces.at(-1);
    whole += whole !== '' && before?.part !== piece.part ? `\n\n${piece.text}` : piece.text;
    pieces.push(piece);
  };
  return {
    add(line, seq) {
      if (line.type === 'text') push({ seq, part: line.part, text: line.text });
      if (line.type !== 'rewind') return;
      const kept = pieces.filter((piece) => piece.seq <= line.to);
      [pieces, whole] = [[], ''];
      for (const piece of kept) push(piece);
    },
    text: () => whole,
  };
}
