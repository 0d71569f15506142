/** Lines as NDJSON: one JSON object a line, each line as it is; an empty line is a heartbeat. */
import type { Format } from './format.ts';

export const ndjson: Format = {
  name: 'ndjson',
  headers: { 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' },
  resumable: true,
  open: () => ({
    head: '',
    // JSON escapes every line break there is.
    line: (line) => `${JSON.stringify(line)}\n`,
    heartbeat: '\n',
    end: () => '',
  }),
};
