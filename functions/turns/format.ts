/**
 * What a wire format is: the lines of a turn as text, for one kind of client. A format knows nothing of HTTP but its own
 * headers; an encoder is of one connection and is given that connection's lines in order.
 */
import type { Line } from './lines.ts';

export type Format = {
  readonly name: 'ndjson' | 'sse' | 'ui';
  /** With the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether its clients can name a cursor to go on from. Those that can't are not sent away with `bye`. */
  readonly resumable: boolean;
  open(turn: string): Encoder;
};

export type Encoder = {
  /** What the body begins with, before any line; empty if nothing. */
  readonly head: string;
  /** The text of a line; empty if the format leaves it out: the next line that it shows then covers it with its `from`. */
  line(line: Line): string;
  /** Means nothing to the client and keeps its connection alive; also what pushes out the line before it. */
  readonly heartbeat: string;
  /** The last text. `ended`: the turn is over and its last line was given; `left`: the connection ends before the turn. */
  end(how: 'ended' | 'left'): string;
};
