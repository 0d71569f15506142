/** The AI SDK's stream: read by the SDK itself, it makes the canonical message, whatever the turn went through. */
import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { messageId } from '../../functions/turns/ids.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { stretches } from '../../functions/turns/log.ts';
import { ui } from '../../functions/turns/ui.ts';
import { logBy } from '../client/log.ts';
import { chance } from '../model/chance.ts';
import { readUi, uiText } from './ui-reader.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';

function written(lines: readonly Line[], how: 'ended' | 'left' = 'ended'): string {
  const encoder = ui.open(TURN);
  return (
    encoder.head + lines.map((line) => encoder.line(line) + encoder.heartbeat).join('') + encoder.end(how)
  );
}
const chunksOf = (text: string) =>
  text
    .split('\n\n')
    .flatMap((event) =>
      event.startsWith('data: {') ? [JSON.parse(event.slice(6)) as { type: string }] : [],
    );
const linesOf = (...events: TurnEvent[]): Line[] =>
  events.map((event, n) => ({ ...event, from: n + 1, cursor: `1.${n + 1}` }));
const text = (words: string, part = 1): TurnEvent => ({ type: 'text', part, text: words });
const end: TurnEvent = { type: 'turn_status', status: 'complete' };

describe('a UI message stream', () => {
  it('makes the canonical text of 500 turns, shown live line by line and replayed merged', async () => {
    for (let seed = 1; seed <= 500; seed++) {
      const log = logBy(chance(seed));
      const head = log.headAt(log.events.length);
      const live: Line[] = log.events.map(({ seq, event }) => ({ ...event, from: seq, cursor: `1.${seq}` }));
      const replayed = stretches(head, [], 0).lines.map(
        ({ event, from, seq, attempt }): Line => ({ ...event, from, cursor: `${attempt}.${seq}` }),
      );
      for (const lines of [live, replayed]) {
        const message = await readUi(written(lines));
        expect(uiText(message), `seed ${seed}`).toBe(log.words);
        expect(message.id).toBe(messageId(TURN));
      }
    }
  });

  it('opens and closes its parts, a step before its first part', () => {
    const lines = linesOf(
      { type: 'start', messages: [TURN] },
      { type: 'step-start' },
      text('a'),
      text('b'),
      text('c', 2),
      { type: 'step-end' },
      end,
    );
    expect(chunksOf(written(lines)).map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
  });

  it('resets a step that was begun, and nothing else', () => {
    const rewind: TurnEvent = { type: 'rewind', to: 1 };
    const begun = linesOf(text('a'), rewind, text('b'), { type: 'step-end' }, rewind, text('c'), end);
    const types = chunksOf(written(begun)).map(({ type }) => type);
    expect(types.filter((type) => type === 'reset-step')).toHaveLength(1);
    expect(types.filter((type) => type === 'start-step')).toHaveLength(2);
  });

  it('holds tools, sources, files and data that the SDK knows', async () => {
    const lines = linesOf(
      { type: 'tool-call', id: 'a', name: 'search', arguments: { q: 1 } },
      { type: 'tool-result', id: 'a', name: 'search', result: [1] },
      { type: 'tool-call', id: 'b', name: 'search', arguments: 'x' },
      { type: 'tool-result', id: 'b', name: 'search', result: null, failed: 'timeout' },
      { type: 'tool-result', id: 'nobody', name: 'search', result: 1 },
      { type: 'source', url: 'https://a.example', title: 'A' },
      { type: 'file', url: 'data:text/plain,x', mediaType: 'text/plain' },
      { type: 'emotion', name: 'joy' },
      { type: 'control', command: 'wave' },
      { type: 'x-own', deep: { down: true } },
      { type: 'waiting', question: 'q', choices: ['yes', 'no'], who: '@a:b', until: 1 },
      text('done'),
      end,
    );
    const { parts } = await readUi(written(lines));
    expect(parts.map(({ type }) => type)).toEqual([
      'step-start',
      'dynamic-tool',
      'dynamic-tool',
      'source-url',
      'file',
      'text',
    ]);
    expect(parts[1]).toMatchObject({ state: 'output-available', output: [1] });
    expect(parts[2]).toMatchObject({ state: 'output-error', errorText: 'timeout' });
    expect(chunksOf(written(lines)).filter((chunk) => 'transient' in chunk)).toHaveLength(4);
  });

  it.each<[string, TurnEvent[]]>([
    [
      'an error',
      [
        text('a'),
        { type: 'error', code: 'model_unavailable' },
        { type: 'turn_status', status: 'error', reason: 'model_unavailable' },
      ],
    ],
    ['an end by somebody else', [text('a'), { type: 'turn_status', status: 'error', reason: 'dead_letter' }]],
  ])('that ends with %s says so once', (_, events) => {
    const errors = chunksOf(written(linesOf(...events))).filter(({ type }) => type === 'error');
    expect(errors).toHaveLength(1);
  });

  it('never looks finished when its connection ends first, or when words are gone', async () => {
    await expect(readUi(written(linesOf(text('a')), 'left'))).rejects.toThrow('ended before');
    const gap: Line = { type: 'gap', after: '1.0', cursor: '1.4' };
    await expect(readUi(written([gap, ...linesOf(end)]))).rejects.toThrow('no longer there');
  });
});
