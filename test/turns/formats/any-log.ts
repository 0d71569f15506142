/**
 * Logs as fast-check draws them: up to three attempts of several steps, with words, tools, questions and things of one's
 * own; each attempt but the last breaks off anywhere, and what it showed last was never stored.
 */
import fc from 'fast-check';
import type { Numbered, TurnEvent } from '../../../functions/turns/events.ts';
import { type Bound, headAttributes, headOf } from '../../../functions/turns/head.ts';
import type { LogLine } from '../../../functions/turns/lines.ts';
import { canonical, stretches } from '../../../functions/turns/log.ts';
import { encodeRows, toRows } from '../../../functions/turns/rows.ts';

export type AnyLog = {
  readonly events: readonly Numbered[];
  /** The events that count. */
  readonly canonical: readonly Numbered[];
  /** As a client sees it that was there from the beginning, what was never stored included. */
  readonly live: readonly LogLine[];
  /** As a client gets it that asks for it once it is over. */
  readonly replayed: readonly LogLine[];
};

const ODD = [
  '\r',
  '\n',
  '\r\n\r\n',
  '\0',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ud83d',
  '\ude00',
  '👩‍👧',
  'data: ',
  '',
  '\\',
];
export const words = fc.oneof(fc.string(), fc.constantFrom(...ODD));
const json = fc.jsonValue({ maxDepth: 2 });
const fields = fc.dictionary(
  fc.constantFrom('name', 'id', 'url', 'title', 'mediaType', 'error', 'state'),
  json,
);

const spoken: fc.Arbitrary<TurnEvent> = fc.record(
  {
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    part: fc.constantFrom(1, 2, 'p'),
    text: words,
  },
  { requiredKeys: ['type', 'text'] },
);
const own: fc.Arbitrary<TurnEvent> = fc
  .tuple(fields, fc.constantFrom('emotion', 'control', 'source', 'file', 'data', 'x-own'))
  .map(([own, type]) => ({ ...own, type }) as TurnEvent);
const reference = fc.constantFrom<TurnEvent>(
  { type: 'source', url: 'https://a.example', title: 'A' },
  { type: 'file', url: 'data:text/plain,x', mediaType: 'text/plain' },
);
type Tool = { readonly tool: unknown; readonly failed: boolean };
const tool: fc.Arbitrary<Tool> = fc.record({ tool: json, failed: fc.boolean() });

const step = fc.record({
  begins: fc.boolean(),
  does: fc.array(
    fc.oneof({ weight: 6, arbitrary: spoken }, own, reference, tool) as fc.Arbitrary<TurnEvent | Tool>,
    { maxLength: 8 },
  ),
  asks: fc.boolean(),
});
const attempt = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  /** How the last step breaks off: whether its end was shown, and how much was never stored. */
  ended: fc.boolean(),
  unstored: fc.nat(6),
});

export const anyLog: fc.Arbitrary<AnyLog> = fc.array(attempt, { minLength: 1, maxLength: 3 }).map(logOf);

type Attempt = typeof attempt extends fc.Arbitrary<infer One> ? One : never;

function logOf(attempts: readonly Attempt[]): AnyLog {
  const events: Numbered[] = [];
  const live: LogLine[] = [];
  const bounds: Bound[] = [];
  let safe = 0;
  /** A call that a person was asked about: whoever goes on behind the question runs it. */
  let asked: string | undefined;
  let ids = 0;
  let number = 1;
  const add = (event: TurnEvent) => {
    const seq = events.length + 1;
    events.push({ seq, event });
    live.push({ ...event, from: seq, cursor: `${number}.${seq}` });
  };
  const answer = (id: string, { tool, failed }: Tool) =>
    add({ type: 'tool-result', id, name: 'search', result: tool, ...(failed && { failed: 'timeout' }) });

  add({ type: 'start', messages: ['turn'] });
  safe = 1;
  for (const [n, { steps, ended, unstored }] of attempts.entries()) {
    const wins = n === attempts.length - 1;
    number = n + 1;
    if (n > 0) {
      bounds.push({ start: events.length + 1, to: safe });
      add({ type: 'rewind', to: safe });
    }
    for (const [at, { begins, does, asks }] of steps.entries()) {
      const breaks = !wins && at === steps.length - 1;
      if (begins) add({ type: 'step-start' });
      if (asked !== undefined) answer(asked, { tool: 1, failed: false });
      for (const one of does) {
        if ('type' in one) {
          add(one);
          continue;
        }
        const id = `call-${++ids}`;
        add({ type: 'tool-call', id, name: 'search', arguments: one.tool });
        answer(id, one);
      }
      const question = asks && !breaks && at < steps.length - 1 ? `call-${++ids}` : undefined;
      if (question) add({ type: 'tool-call', id: question, name: 'paint', arguments: {} });
      if (!breaks || ended) add({ type: 'step-end' });
      if (question)
        add({ type: 'waiting', question: 'May I?', choices: ['yes', 'no'], who: '@a:b', until: 1 });
      if (breaks) continue;
      asked = question;
      safe = events.length;
    }
    if (wins) continue;
    // Whatever stands before a step is stored before the step begins.
    const stored = Math.max(safe, bounds.at(-1)?.start ?? 0, events.length - unstored);
    if (stored === events.length && ended) [safe, asked] = [events.length, undefined];
    events.splice(stored);
  }
  add({ type: 'done', message: { id: 'm', role: 'assistant', content: '', createdAt: '' } });
  add({ type: 'turn_status', status: 'complete' });

  const head = {
    attempt: attempts.length,
    status: 'complete',
    phase: 'model',
    tail: events.length,
    base: 0,
    safePoint: safe,
    bounds,
    hot: encodeRows(toRows(events)),
  } as const;
  const replayed = stretches(headOf({ pk: '', sk: '', ...headAttributes(head) }), [], 0).lines.map(
    ({ event, from, seq, attempt }): LogLine => ({ ...event, from, cursor: `${attempt}.${seq}` }),
  );
  return { events, canonical: canonical(events), live, replayed };
}
