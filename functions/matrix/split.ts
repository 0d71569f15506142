/**
 * Cuts a markdown text into pieces that each fit, at the coarsest place that leaves a piece a quarter full or more:
 * between blocks, else between lines, else between words, else between graphemes. A fenced code block that is cut is
 * closed and opened again with its info string. The pieces hold every character of the text in its order, but for white
 * space at a cut and marks of fences. The same text and the same `fits` give the same pieces.
 */
import { type Fence, type Line, linesOf } from './fences.ts';

/**
 * `fits` is asked with a piece and its index. No piece is longer than `longest` UTF-16 units, and none is empty; a
 * single character that does not fit is a piece all the same.
 */
export function split(
  text: string,
  longest: number,
  fits: (piece: string, index: number) => boolean,
): string[] {
  const pieces: string[] = [];
  let rest = text.trimEnd().replace(/^\s*\n/, '');
  while (rest.length > longest || (rest !== '' && !fits(rest, pieces.length))) {
    const lines = [...linesOf(rest, longest)];
    const place = placeToCut(rest, lines, longest, (piece) => fits(piece, pieces.length));
    const [piece, behind] = cutAt(rest, lines, place);
    pieces.push(piece);
    rest = behind;
  }
  return rest === '' ? pieces : [...pieces, rest];
}

/** How many places of one kind are tried before the next finer kind. */
const TRIES = 8;

function placeToCut(
  text: string,
  lines: readonly Line[],
  longest: number,
  fits: (piece: string) => boolean,
): number {
  const fitsAt = (place: number) => fits(cutAt(text, lines, wholeCharacter(text, place))[0]);
  const first = firstPlace(text, lines);
  const most = greatest(first, Math.min(longest, text.length - 1), fitsAt);
  for (const kind of [blockStarts(text, lines), lines.map(({ start }) => start), wordStarts(text, most)]) {
    const near = kind.filter((place) => place > first && place >= most / 4 && place <= most);
    const found = near.slice(-TRIES).findLast(fitsAt);
    if (found !== undefined) return found;
  }
  let place = wholeGrapheme(text, most);
  // Less text is not always less HTML: half an address can be a link where the whole one was none.
  while (place > first && !fitsAt(place)) place = wholeGrapheme(text, Math.floor(place * 0.9));
  return Math.max(first, place);
}

/** A cut takes at least one character of the text, behind a fence that was opened again. */
function firstPlace(text: string, lines: readonly Line[]): number {
  const start = lines[0]!.opens && lines.length > 1 ? lines[1]!.start : 0;
  return start + String.fromCodePoint(text.codePointAt(start)!).length;
}

/** The greatest place from `low` to `high` for which `fits` holds, to a hundredth; `low` is taken for granted. */
function greatest(low: number, high: number, fits: (place: number) => boolean): number {
  let [good, bad] = [low, high + 1];
  while (bad - good > 1 + good / 100) {
    const middle = (good + bad) >> 1;
    if (fits(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

const HEADING = /^#{1,6}\s/;

/** Where a block begins: behind an empty line, at a heading, at or behind a fence; but not right behind a heading. */
function blockStarts(text: string, lines: readonly Line[]): number[] {
  let previous = '';
  let shown = '';
  return lines.flatMap((line, index) => {
    const words = text.slice(line.start, line.end).trimEnd();
    const begins = previous === '' || line.opens || lines[index - 1]?.closes || HEADING.test(words);
    const isPlace = begins && !line.inside && /^\S/.test(words) && !HEADING.test(shown);
    previous = words;
    if (words !== '') shown = words;
    return isPlace ? [line.start] : [];
  });
}

function wordStarts(text: string, most: number): number[] {
  return Array.from(text.slice(0, most + 1).matchAll(/\s(?=\S)/g), ({ index }) => index + 1);
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Longer graphemes are cut, between two characters. In UTF-16 units. */
const MAX_GRAPHEME = 64;

/** The last place up to `most` between two graphemes, or at least between two characters. */
function wholeGrapheme(text: string, most: number): number {
  const from = Math.max(0, most - 2 * MAX_GRAPHEME);
  const around = GRAPHEMES.segment(text.slice(from, most + MAX_GRAPHEME));
  const index = around.containing(most - from)?.index ?? 0;
  // Near its beginning the window may have cut a grapheme itself.
  if (index > (from === 0 ? 0 : MAX_GRAPHEME)) return from + index;
  return wholeCharacter(text, most);
}

/** The place itself, or the one before it if it lies within a surrogate pair. */
function wholeCharacter(text: string, place: number): number {
  const unit = text.charCodeAt(place);
  return unit >= 0xdc00 && unit <= 0xdfff ? place - 1 : place;
}

/**
 * The piece before a place and the text behind it. A place in a line that opens a fence, or right behind it, means the
 * place before that line; one in the line that closes a fence means the place behind it.
 */
function cutAt(text: string, lines: readonly Line[], place: number): [string, string] {
  const index = lines.findLastIndex(({ start }) => start <= place);
  const line = lines[index]!;
  const opener = line.start === place ? lines[index - 1] : line;
  if (opener?.opens && opener.start > 0) return cutBetween(text, opener.start);
  const { inside, closes, start, end } = line;
  if (!inside) return cutBetween(text, place);
  const head = `${text.slice(0, closes ? start : place).replace(/\n$/, '')}\n${inside.close}`;
  if (closes) return [head, withoutMargin(text.slice(end))];
  return [head, `${inside.open}\n${outdented(text.slice(place), inside)}`];
}

function cutBetween(text: string, place: number): [string, string] {
  return [text.slice(0, place).trimEnd(), withoutMargin(text.slice(place))];
}

/** Without empty lines before it and without the indentation of its first line, which would make it code. */
const withoutMargin = (text: string): string => text.replace(/^\s+/, '');

/** The rest of a fence without the indentation of the list it stood in, as it now stands alone; what follows stays. */
function outdented(rest: string, fence: Fence): string {
  if (fence.indent === 0) return rest;
  const margin = new RegExp(`^[ \\t]{0,${fence.indent}}`);
  const shift = fence.open.length + 1;
  return [...linesOf(`${fence.open}\n${rest}`)]
    .slice(1)
    .map(({ start, end, inside }) => {
      const line = rest.slice(start - shift, end - shift);
      return inside ? line.replace(margin, '') : line;
    })
    .join('');
}
