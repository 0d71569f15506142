/**
 * Bytes to lines of a turn, however the bytes are cut: UTF-8 split anywhere, LF, CR or CRLF, a byte order mark, comments,
 * several data fields. What stands behind the last line break when the bytes end is no line. Sources: NDJSON; HTML
 * standard, 9.2.6 "Interpreting an event stream".
 */
import type { Format, Line } from './wire.ts';

/** Takes bytes as they come; the lines they complete. Throws a SyntaxError at a line that is no JSON. */
export type Decode = (bytes: Uint8Array) => Line[];

export function createDecoder(format: Format): Decode {
  const split = createSplitter();
  const read = format === 'sse' ? readEvents() : readJson;
  return (bytes) => split(bytes).flatMap(read);
}

const readJson = (text: string): Line[] => (text.trim() === '' ? [] : [JSON.parse(text) as Line]);

function createSplitter(): (bytes: Uint8Array) => string[] {
  // It drops a byte order mark at the beginning, and keeps what is split between two chunks.
  const utf8 = new TextDecoder();
  let rest = '';
  let afterCr = false;
  return (bytes) => {
    let text = utf8.decode(bytes, { stream: true });
    if (text === '') return [];
    // A CR ends its line at once; an LF behind it, even in the next chunk, is still the same line break.
    if (afterCr && text.startsWith('\n')) text = text.slice(1);
    afterCr = text.endsWith('\r');
    const lines = (rest + text).split(/\r\n|\n|\r/);
    rest = lines.pop()!;
    return lines;
  };
}

function readEvents(): (text: string) => Line[] {
  let data: string[] = [];
  return (text) => {
    if (text !== '') {
      const [, name, value] = /^([^:]*):? ?([\s\S]*)$/.exec(text)!;
      if (name === 'data') data.push(value!);
      return [];
    }
    const whole = data.join('\n');
    data = [];
    return whole === '' ? [] : [fromEvent(JSON.parse(whole) as Shown)];
  };
}

type Shown = { readonly type: string; readonly state?: string };

/** An event of the stream names some types in its own way. */
function fromEvent({ type, ...fields }: Shown): Line {
  if (type === 'token') return { type: 'text', ...fields } as unknown as Line;
  if (type !== 'tool') return { type, ...fields } as unknown as Line;
  const { state, ...rest } = fields;
  return { type: state === 'call' ? 'tool-call' : 'tool-result', ...rest } as unknown as Line;
}
