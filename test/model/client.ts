/**
 * A client that judges lines by the rule that `turnpike/client` ships, with its wrong variants as switches. It says whether a
 * line was applied, a double or a gap; after a gap it reconnects with its cursor.
 */
import { apply } from '../../functions/client/apply.ts';
import { type Cursor, parseCursor } from '../../functions/turns/cursor.ts';
import type { Line, LogLine } from '../../functions/turns/lines.ts';

export type ClientMutant = 'no from' | 'no attempt in the rule' | 'cursor without attempt' | 'bye moves';

export class Client {
  cursor: Cursor = { attempt: 1, seq: 0 };
  readonly applied: { seq: number; type: string; text: string }[] = [];
  done = false;
  gapped = false;
  /** Whose live line it is on; while it stands the client does not follow. */
  live: object | undefined;
  status: string | undefined;
  private readonly mutant: ClientMutant | undefined;
  private readonly fail: (what: string) => void;

  constructor(fail: (what: string) => void, mutant?: ClientMutant) {
    this.fail = fail;
    this.mutant = mutant;
  }

  get text(): string {
    return this.applied
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join('');
  }

  apply(line: Line): 'applied' | 'double' | 'gap' {
    if (!('from' in line)) return this.control(line as Exclude<Line, { from: number }>);
    const at = parseCursor(line.cursor)!;
    const verdict = this.judge(line, at);
    if (verdict !== 'applied') return verdict;
    if (line.type === 'rewind') {
      while (this.applied.length > 0 && this.applied.at(-1)!.seq > line.to) this.applied.pop();
    } else if (at.attempt > this.cursor.attempt && !this.mutant)
      this.fail('the first line of a new attempt is no rewind');
    else this.applied.push({ seq: at.seq, type: line.type, text: 'text' in line ? String(line.text) : '' });
    this.cursor = at;
    if (line.type === 'turn_status') {
      this.done = true;
      this.status = line.status as string;
    }
    return 'applied';
  }

  private judge(line: LogLine, at: Cursor): 'applied' | 'double' | 'gap' {
    const { from } = line;
    const next = this.cursor.seq + 1;
    switch (this.mutant) {
      case 'no from':
        return at.attempt < this.cursor.attempt || (at.attempt === this.cursor.attempt && at.seq < next)
          ? 'double'
          : 'applied';
      case 'no attempt in the rule':
      case 'cursor without attempt':
        return at.seq < next ? 'double' : from > next ? 'gap' : 'applied';
      default:
        return apply(this.cursor, line).kind as 'applied' | 'double' | 'gap';
    }
  }

  private control(line: Exclude<Line, { from: number }>): 'applied' {
    if (line.type === 'gap' || (line.type === 'bye' && this.mutant === 'bye moves')) {
      this.cursor = parseCursor(line.cursor)!;
      this.gapped ||= line.type === 'gap';
    }
    return 'applied';
  }
}
