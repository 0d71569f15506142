/**
 * The lines of a turn as a client gets them. A line that stands for log events carries the cursor it ends at and the
 * first event it covers, so a client recognises doubles and gaps by itself; `PROTOCOL.md` says how.
 */
import type { TurnEvent } from './events.ts';

/**
 * A line that stands for log events. Events have no fields `from` and `cursor` of their own. `_t`: ms since the turn
 * began, on a line that is shown before it is stored.
 */
export type LogLine = TurnEvent & { readonly from: number; readonly cursor: string; readonly _t?: number };

/** Lines about the stream itself: they have no `from`, and only `gap` moves the client. */
export type ControlLine =
  | { readonly type: 'queued' }
  | { readonly type: 'caught-up' }
  | { readonly type: 'gap'; readonly after: string; readonly cursor: string }
  | { readonly type: 'bye'; readonly cursor: string };

export type Line = LogLine | ControlLine;

/** The last event that the line stands for. */
export const seqOf = ({ cursor }: Pick<LogLine, 'cursor'>): number => Number(cursor.split('.')[1]);

export const isLogLine = (line: Line): line is LogLine => 'from' in line;
