/** A turn's log as chance makes it: one to three attempts, each behind its rewind, with all that text can hold. */
import type { Row } from '../../functions/runtime/table.ts';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { type Bound, type Head, headAttributes, headOf } from '../../functions/turns/head.ts';
import { canonical, textOf } from '../../functions/turns/log.ts';
import { encodeRows, toRows } from '../../functions/turns/rows.ts';
import type { Chance } from '../model/chance.ts';

const WORDS = [
  'word',
  ' and',
  ' ünïcödé',
  ' 👩‍👩‍👧‍👦',
  '\r\n',
  '\u2028',
  '\n\n# x',
  ' \ud83d',
  '\ude00 ',
  '"',
  ' data: x',
];

export type Log = {
  readonly events: readonly Numbered[];
  readonly text: string;
  /** The same without the blank lines between parts. */
  readonly words: string;
  /** HEAD as it was stored when the log was that long. */
  rowAt(tail: number): Row;
  headAt(tail: number): Head;
  /** Where its attempts but the first began. */
  readonly bounds: readonly Bound[];
};

export function logBy(chance: Chance): Log {
  const events: Numbered[] = [];
  const bounds: Bound[] = [];
  let safe = 0;
  const add = (event: TurnEvent) => void events.push({ seq: events.length + 1, event });
  const attempts = 1 + chance.below(3);
  add({ type: 'start', messages: ['turn'] });
  safe = 1;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    if (attempt > 1) {
      bounds.push({ start: events.length + 1, to: safe });
      add({ type: 'rewind', to: safe });
    }
    const steps = 1 + chance.below(3);
    for (let step = 0; step < steps; step++) {
      const part = step + 1;
      add({ type: 'step-start' });
      for (let n = chance.below(12); n > 0; n--) {
        add({ type: 'text', part, text: WORDS[chance.below(WORDS.length)]! });
        if (chance.below(8) === 0) add({ type: 'reasoning', part, text: 'hm' });
      }
      // A step that breaks off is taken back by the next attempt.
      if (attempt < attempts && step === steps - 1) break;
      add({ type: 'step-end' });
      safe = events.length;
    }
  }
  const text = textOf(canonical(events));
  const words = canonical(events)
    .flatMap(({ event }) => (event.type === 'text' ? [event.text] : []))
    .join('');
  add({ type: 'done', message: { id: 'm', role: 'assistant', content: text, createdAt: '' } });
  add({ type: 'turn_status', status: 'complete' });

  const rows: Row[] = [];
  const rowAt = (tail: number): Row => (rows[tail] ??= makeRow(tail));
  function makeRow(tail: number): Row {
    const begun = bounds.filter(({ start }) => start <= tail);
    const head = {
      attempt: begun.length + 1,
      status: tail === events.length ? 'complete' : 'running',
      phase: 'model',
      tail,
      base: 0,
      safePoint: 1,
      bounds: begun,
      hot: encodeRows(toRows(events.slice(0, tail))),
    } as const;
    return { pk: '', sk: '', ...headAttributes(head) };
  }
  return { events, text, words, bounds, rowAt, headAt: (tail) => headOf(rowAt(tail)) };
}
