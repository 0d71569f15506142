/**
 * Lines as server-sent events (HTML standard, 9.2): the cursor as the event's id, the line as one field of JSON. What has
 * no place in it is left out and covered by the next line; a line that was withheld is not covered.
 */
import type { Encoder, Format } from './format.ts';
import { isLogLine, type LogLine, seqOf } from './lines.ts';
import { oneLine } from './ndjson.ts';

const RETRY_MS = 1_000;

/** The name a type of event has on this wire; a type that is not named here, nor `x-…`, is left out. */
const NAMES: Readonly<Record<string, string>> = {
  text: 'token',
  reasoning: 'reasoning',
  'tool-call': 'tool',
  'tool-result': 'tool',
  emotion: 'emotion',
  control: 'control',
  rewind: 'rewind',
  waiting: 'waiting',
  done: 'done',
  error: 'error',
  turn_status: 'turn_status',
};

export const sse: Format = {
  name: 'sse',
  headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
  resumable: true,
  open: encoder,
};

function encoder(): Encoder {
  const cover = covering();
  return {
    head: `retry: ${RETRY_MS}\n\n`,
    heartbeat: ':\n\n',
    end: () => '',
    line(line) {
      if (!isLogLine(line)) return field(line, line.type === 'gap' ? line.cursor : undefined);
      const type = line.type.startsWith('x-') ? line.type : NAMES[line.type];
      const from = cover(line, type !== undefined);
      return type === undefined ? '' : field(shown(line, type, from), line.cursor);
    },
  };
}

function shown(line: LogLine, type: string, from: number): object {
  switch (line.type) {
    case 'tool-call':
      return { ...line, type, state: 'call', from };
    case 'tool-result':
      return { ...line, type, state: 'result', from };
    case 'error': {
      const { code, message } = line;
      return { ...line, error: { code, message }, from };
    }
    default:
      return { ...line, type, from };
  }
}

function field(value: object, id: string | undefined): string {
  const data = `data: ${oneLine(value)}\n\n`;
  return id === undefined ? data : `id: ${id}\n${data}`;
}

/**
 * From where the next line that is shown covers the log: from the first line left out before it, as long as they join up.
 * One that was withheld lies in a gap between two lines, and is never covered.
 */
export function covering(): (line: LogLine, isShown: boolean) => number {
  let open: { readonly from: number; readonly to: number } | undefined;
  return (line, isShown) => {
    const to = seqOf(line);
    const from = open && line.from <= open.to + 1 ? Math.min(open.from, line.from) : line.from;
    open = isShown ? undefined : { from, to };
    return from;
  };
}
