/**
 * The UI message stream of the AI SDK (`ai` v7) as server-sent events, for `useChat` as it is. It replays from the
 * beginning and names no cursor; a clean end would look like the turn's, so a connection that ends before is an error.
 */
import type { Format } from './format.ts';
import { messageId } from './ids.ts';
import { oneLine } from './ndjson.ts';
import { type Chunk, createChunks } from './ui-chunks.ts';

const event = (chunk: Chunk) => `data: ${oneLine(chunk)}\n\n`;
const DONE = 'data: [DONE]\n\n';

export const ui: Format = {
  name: 'ui',
  headers: {
    'content-type': 'text/event-stream',
    'x-vercel-ai-ui-message-stream': 'v1',
    'x-accel-buffering': 'no',
  },
  resumable: false,
  open(turn) {
    const chunks = createChunks(messageId(turn));
    return {
      head: '',
      line: (line) => chunks(line).map(event).join(''),
      heartbeat: ':\n\n',
      end: (how) =>
        how === 'ended'
          ? DONE
          : event({ type: 'error', errorText: 'the connection ended before the turn' }) + DONE,
    };
  },
};
