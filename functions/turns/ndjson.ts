/** Lines as NDJSON: one JSON object a line, each line as it is; an empty line is a heartbeat. */
import type { Format } from './format.ts';

export const ndjson: Format = {
  name: 'ndjson',
  headers: { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' },
  resumable: true,
  open: () => ({
    head: '',
    line: (line) => `${oneLine(line)}\n`,
    heartbeat: '\n',
    end: () => '',
  }),
};

/**
 * A value's JSON without anything that a reader may take for the end of a line: JSON itself escapes CR, LF and NUL, but not
 * what Unicode also calls a line break (UAX #14: NEL, LS, PS), at which some readers split.
 */
export const oneLine = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u0085\u2028\u2029]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
