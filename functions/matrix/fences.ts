/**
 * The lines of a markdown text and the fenced code block that each lies in, told line by line: enough to cut a text
 * between its blocks and to close and open again a block that is cut. Fences in lists and quotations are known too.
 */

export type Fence = {
  /** The line that opens it anew, with its info string. */
  readonly open: string;
  /** The line that closes it. */
  readonly close: string;
  /** How many characters of indentation its lines have because it stands in a list. */
  readonly indent: number;
  readonly marker: string;
  readonly quoted: boolean;
};

export type Line = {
  readonly start: number;
  /** Behind its line break. */
  readonly end: number;
  /** The fence that is open where the line begins. */
  readonly inside?: Fence;
  /** The line closes {@link inside}. */
  readonly closes: boolean;
  /** The line opens a fence. */
  readonly opens?: Fence;
};

/** What may stand before a fence on its line: indentation, marks of quotations, marks of list items. */
const OPENING = /^((?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t]){0,40})(`{3,99}(?!`)|~{3,99}(?!~))([^\n]*)/;
/** A longer line is taken for text: it opens no fence that could be opened again. */
const MAX_OPENING = 500;
/** A longer info string is no name of a language, and is not worth being repeated. */
const MAX_INFO = 100;

/** The lines of `text` that begin before `limit`, one after the other. */
export function* linesOf(text: string, limit = text.length): Generator<Line> {
  let inside: Fence | undefined;
  for (let start = 0; start < Math.min(limit, text.length); ) {
    const found = text.indexOf('\n', start);
    const end = found < 0 ? text.length : found + 1;
    const line = text.slice(start, end);
    // A quotation that ends takes its fence with it.
    if (inside?.quoted && !/^\s*>/.test(line)) inside = undefined;
    const closes = inside !== undefined && isClosing(line, inside);
    const opens = inside ? undefined : opening(line);
    yield { start, end, closes, ...(inside && { inside }), ...(opens && { opens }) };
    inside = closes ? undefined : (inside ?? opens);
    start = end;
  }
}

function opening(line: string): Fence | undefined {
  const match = line.length <= MAX_OPENING ? OPENING.exec(line) : null;
  if (!match) return undefined;
  const [, before, marker, rest] = match as unknown as [string, string, string, string];
  if (marker.startsWith('`') && rest.includes('`')) return undefined;
  const info = rest.trim();
  const prefix = before.replace(/[^\s>]/g, ' ');
  const quoted = prefix.includes('>');
  return {
    open: `${quoted ? prefix : ''}${marker}${info.length <= MAX_INFO ? info : ''}`,
    close: prefix + marker,
    indent: quoted ? 0 : prefix.length,
    marker,
    quoted,
  };
}

function isClosing(line: string, { marker }: Fence): boolean {
  const bare = line.replace(/^[\s>]+/, '').trimEnd();
  return bare.length >= marker.length && bare === marker[0]!.repeat(bare.length);
}
