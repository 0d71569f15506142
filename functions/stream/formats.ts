/** The wire format a client asks for: by `?format=`, else by `Accept`, else the one its call has by default. */
import type { Format } from '../turns/format.ts';
import { ndjson } from '../turns/ndjson.ts';
import { sse } from '../turns/sse.ts';
import { ui } from '../turns/ui.ts';
import { badRequest } from './http-error.ts';
import type { StreamRequest } from './ports.ts';

const formats: Readonly<Record<string, Format>> = { ndjson, sse, ui };

export function formatOf({ query, headers }: StreamRequest, otherwise: Format = ndjson): Format {
  const named = query.get('format');
  if (named !== null) {
    if (!Object.hasOwn(formats, named)) throw badRequest('format must be one of ndjson, sse, ui');
    return formats[named]!;
  }
  const accepted = headers.accept ?? '';
  if (otherwise !== ndjson) return otherwise;
  return accepted.includes('text/event-stream') ? sse : ndjson;
}
