/** The AI SDK's stream: read by the SDK itself, it makes the canonical message, whatever the turn went through. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { messageId } from '../../functions/turns/ids.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { ui } from '../../functions/turns/ui.ts';
import { anyLog } from './formats/any-log.ts';
import { readUi } from './ui-reader.ts';

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
const typesOf = (lines: readonly Line[]) => chunksOf(written(lines)).map(({ type }) => type);
const linesOf = (...events: TurnEvent[]): Line[] =>
  events.map((event, n) => ({ ...event, from: n + 1, cursor: `1.${n + 1}` }));
const text = (words: string, part = 1): TurnEvent => ({ type: 'text', part, text: words });
const step: TurnEvent = { type: 'step-end' };
const end: TurnEvent = { type: 'turn_status', status: 'complete' };

type Part = Readonly<Record<string, unknown>>;

/** What the events that count say, part by part, as the SDK would have it. */
function partsOf(events: readonly Numbered[]): Part[] {
  const parts: Part[] = [];
  const calls = new Map<string, number>();
  let open: { kind: string; part: unknown; text: string } | undefined;
  for (const { event } of events) {
    if (event.type === 'text' || event.type === 'reasoning') {
      if (open?.kind !== event.type || open.part !== event.part) {
        open = { kind: event.type, part: event.part, text: '' };
        parts.push({});
      }
      open.text += event.text;
      parts[parts.length - 1] = { type: event.type, text: open.text };
    } else if (event.type === 'tool-call') {
      open = undefined;
      calls.set(event.id, parts.length);
      parts.push({ toolCallId: event.id, state: 'input-available', input: event.arguments });
    } else if (event.type === 'tool-result') {
      const call = parts[calls.get(event.id)!]!;
      const { failed } = event;
      const ended = failed
        ? { state: 'output-error', errorText: failed }
        : { state: 'output-available', output: event.result };
      parts[calls.get(event.id)!] = { ...call, ...ended };
    } else if (urlOf(event) !== undefined) {
      open = undefined;
      parts.push({ url: urlOf(event) });
    } else if (event.type === 'step-end') open = undefined;
  }
  return parts;
}
/** Of a source or file that the SDK knows as such. */
function urlOf(event: TurnEvent): string | undefined {
  if (event.type !== 'source' && event.type !== 'file') return undefined;
  const isWhole = event.type === 'source' || typeof event.mediaType === 'string';
  return isWhole && typeof event.url === 'string' ? event.url : undefined;
}

describe('a UI message stream', () => {
  it('makes the canonical message of any turn, seen live or afterwards', async () => {
    const turns = fc.asyncProperty(anyLog, async ({ canonical, live, replayed }) => {
      for (const lines of [live, replayed]) {
        const message = await readUi(written(lines));
        const shown = message.parts.filter(({ type }) => type !== 'step-start');
        expect(shown).toMatchObject(partsOf(canonical));
        expect(message.id).toBe(messageId(TURN));
      }
    });
    await fc.assert(turns, { seed: 4, numRuns: 300 });
  });

  it('opens and closes its parts, a step before its first part', () => {
    const lines = linesOf(
      { type: 'start', messages: [TURN] },
      { type: 'step-start' },
      text('a'),
      text('b'),
      text('c', 2),
      step,
      end,
    );
    expect(typesOf(lines)).toEqual([
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

  it('resets the step that is taken back, and never one that stands', () => {
    const rewind = (to: number): TurnEvent => ({ type: 'rewind', to });
    const count = (lines: readonly Line[]) => typesOf(lines).filter((type) => type === 'reset-step').length;
    const start: TurnEvent = { type: 'start', messages: [TURN] };
    expect(count(linesOf(start, rewind(1), text('a'), end))).toBe(0);
    expect(count(linesOf(start, text('a'), rewind(1), text('b'), end))).toBe(1);
    expect(count(linesOf(start, text('a'), step, rewind(3), text('b'), end))).toBe(0);
    // Its end was shown, but never stored.
    expect(count(linesOf(start, text('a'), step, rewind(1), text('b'), end))).toBe(1);
  });

  it('is an error if what it has to take back was finished, or shown by another connection', async () => {
    const rewind: TurnEvent = { type: 'rewind', to: 1 };
    const finished = linesOf(text('a'), step, text('b'), rewind, text('c'), end);
    await expect(readUi(written(finished))).rejects.toThrow('began anew');
    expect(written(finished)).not.toContain('"c"');
    expect(typesOf(finished).at(-1)).toBe('finish');
    const resumed: Line = { ...rewind, from: 5, cursor: '2.5' };
    await expect(readUi(written([resumed]))).rejects.toThrow('began anew');
  });

  it('holds tools, sources, files and data that the SDK knows', async () => {
    const lines = linesOf(
      { type: 'tool-call', id: 'a', name: 'search', arguments: { q: 1 } },
      { type: 'tool-result', id: 'nobody', name: 'search', result: 1 },
      { type: 'source', url: 'https://a.example', title: 'A' },
      { type: 'file', url: 'data:text/plain,x', mediaType: 'text/plain' },
      { type: 'emotion', name: 'joy' },
      { type: 'control', command: 'wave' },
      { type: 'x-own', deep: { down: true } },
      { type: 'waiting', question: 'q', choices: ['yes', 'no'], who: '@a:b', until: 1 },
      end,
    );
    const { parts } = await readUi(written(lines));
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'dynamic-tool', 'source-url', 'file']);
    expect(chunksOf(written(lines)).filter((chunk) => 'transient' in chunk)).toEqual([
      { type: 'data-emotion', data: { name: 'joy' }, transient: true },
      { type: 'data-control', data: { command: 'wave' }, transient: true },
      { type: 'data-x-own', data: { deep: { down: true } }, transient: true },
      {
        type: 'data-waiting',
        data: { question: 'q', choices: ['yes', 'no'], who: '@a:b', until: 1, seq: 8 },
        transient: true,
      },
    ]);
  });

  it.each<[string, TurnEvent[], string[]]>([
    ['complete', [end], ['finish']],
    [
      'an error',
      [
        { type: 'error', code: 'model_unavailable' },
        { type: 'turn_status', status: 'error', reason: 'model_unavailable' },
      ],
      ['error', 'finish'],
    ],
    ['an end by somebody else', [{ type: 'turn_status', status: 'error' }], ['error', 'finish']],
    ['a stop', [{ type: 'turn_status', status: 'cancelled', reason: 'stopped' }], ['abort', 'finish']],
  ])('that ends with %s says so once', (_, events, types) => {
    const last = typesOf(linesOf(text('a'), ...events)).filter((type) => /^(error|abort|finish)$/.test(type));
    expect(last).toEqual(types);
  });

  it('never looks finished when its connection ends first, or when words are gone', async () => {
    const left = written(linesOf(text('a')), 'left');
    await expect(readUi(left)).rejects.toThrow('ended before');
    expect(left).not.toContain('"finish"');
    const gap: Line = { type: 'gap', after: '1.0', cursor: '1.4' };
    await expect(readUi(written([gap, ...linesOf(end)]))).rejects.toThrow('no longer there');
    expect(typesOf([gap, ...linesOf(text('the rest'), end)])).toEqual(['error', 'start', 'finish']);
  });

  it('says nothing of the stream itself, and is kept alive by comments', () => {
    expect(typesOf([{ type: 'queued' }, { type: 'caught-up' }, { type: 'bye', cursor: '1.1' }])).toEqual([]);
    expect(ui.open(TURN).heartbeat).toMatch(/^:/);
    expect(ui.headers['x-vercel-ai-ui-message-stream']).toBe('v1');
    expect(ui.resumable).toBe(false);
  });
});
