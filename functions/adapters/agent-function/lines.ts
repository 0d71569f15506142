/**
 * The lines of a stream of bytes that may be cut anywhere, also inside a character. A line ends with a newline and has
 * at most 1 MB; a last one without its newline counts only when the stream ends without an error.
 */
import { AgentError } from '../../agent/agent.ts';

export const MAX_LINE_BYTES = 1_000_000;

const NEWLINE = 0x0a;

/** Rejects with `agent_bad_line` when a line is too long or not UTF-8, and with whatever the stream rejects with. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  const take = (piece: Uint8Array) => {
    bytes += piece.length;
    if (bytes > MAX_LINE_BYTES) throw new AgentError('agent_bad_line');
    if (piece.length > 0) pieces.push(piece);
  };
  const whole = (): string => {
    const line = decoded(Buffer.concat(pieces));
    pieces = [];
    bytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, end));
      yield whole();
      from = end + 1;
    }
    take(chunk.subarray(from));
  }
  if (bytes > 0) yield whole();
}

function decoded(line: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(line);
  } catch (cause) {
    throw new AgentError('agent_bad_line', { cause });
  }
}
