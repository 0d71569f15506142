import { describe, expect, it } from 'vitest';
import { turnEvents } from '../../../functions/adapters/agent-function/events.ts';
import type { TurnEvent } from '../../../functions/turns/events.ts';
import { canonical, textOf } from '../../../functions/turns/log.ts';
import { numbered } from '../../contracts/agent.ts';
import { readOut } from './read.ts';

type Options = { readonly behindSteps?: boolean; readonly breaks?: boolean };

const HOUR = 3_600_000;
const START = { type: 'start', resumable: true };
const DONE = { type: 'done' };

async function read(lines: readonly unknown[], { behindSteps = false, breaks }: Options = {}) {
  async function* stream() {
    for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line);
    if (breaks) throw Object.assign(new Error('cut'), { code: 'cut' });
  }
  return readOut(turnEvents(stream(), { behindSteps, principal: '@ana:hs', answeredBy: () => HOUR }));
}

/** The events of one answer between the beginning of its only step and the end of it. */
async function inside(...lines: readonly unknown[]): Promise<TurnEvent[]> {
  const { events, code } = await read([...lines, DONE]);
  expect(code).toBeUndefined();
  expect([events[0], events.at(-1)]).toEqual([{ type: 'step-start' }, { type: 'step-end', last: true }]);
  return events.slice(1, -1);
}

describe('what an own agent says', () => {
  it('goes into the turn with the fields of its type and no others', async () => {
    const shown = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', part: 'a', text: 'hello' },
      { type: 'tool-call', id: '1', name: 'paint', arguments: ['blue'] },
      { type: 'tool-result', id: '1', name: 'paint', result: { ok: true }, failed: 'timeout' },
      { type: 'emotion', name: 'joy' },
      { type: 'x-own', deep: [{}] },
    ];
    expect(await inside(...shown)).toEqual(shown);
    const more = {
      id: '1',
      name: 'paint',
      text: 'x',
      from: 1,
      cursor: '1.1',
      _t: 5,
      last: true,
      failed: 'odd',
    };
    expect(
      await inside(
        { ...more, type: 'text' },
        { ...more, type: 'tool-call' },
        { ...more, type: 'tool-result' },
        { ...more, type: 'data' },
      ),
    ).toEqual([
      { type: 'text', text: 'x' },
      { type: 'tool-call', id: '1', name: 'paint', arguments: {} },
      { type: 'tool-result', id: '1', name: 'paint', result: null, failed: 'odd' },
      { type: 'data', id: '1', name: 'paint', text: 'x', last: true, failed: 'odd' },
    ]);
  });

  it('is passed over where only the turn may say it, or nobody knows it', async () => {
    const text = { type: 'text', text: 'hello' };
    const odd = [
      { type: 'rewind', to: 0 },
      { type: 'turn_status', status: 'complete' },
      { type: 'start', messages: ['t'] },
      { type: 'start', resumable: true },
      { type: 'gap', after: '1.1', cursor: '1.9' },
      { type: 'constructor' },
      '',
      '  \r',
    ];
    expect(await inside(text, ...odd, text)).toEqual([text, text]);
  });

  it.each([
    'text',
    '[]',
    'null',
    '{"type":"text","text":"cut',
    { text: 'no type' },
    { type: 7 },
    { type: 'text' },
    { type: 'text', text: 7 },
    { type: 'reasoning', text: 'x', part: null },
    { type: 'tool-call', name: 'paint' },
    { type: 'tool-result', id: '1' },
    { type: 'tool-result', id: '1', name: 'paint', failed: true },
    { type: 'step-end', usage: 5 },
    { type: 'step-end', usage: { inputTokens: -1, outputTokens: 1 } },
    { type: 'step-end', usage: { inputTokens: 1 } },
    { type: `x-${'y'.repeat(99)}` },
  ])('is an error if it is wrong, behind what came before: %j', async (line) => {
    const { events, code } = await read([{ type: 'text', text: 'before' }, line, DONE]);
    expect(code).toBe('agent_bad_line');
    expect(events).toEqual([{ type: 'step-start' }, { type: 'text', text: 'before' }]);
  });

  it('is the same text however long it is', async () => {
    for (const text of ['👩‍🚀'.repeat(30_000), `x${'😀'.repeat(40_000)}`, '\0'.repeat(100_000)]) {
      const pieces = await inside({ type: 'text', part: 1, text });
      expect(textOf(numbered(pieces))).toBe(text);
      for (const piece of pieces) {
        expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(300_000);
        expect((piece as { text: string }).text.isWellFormed()).toBe(true);
      }
    }
    expect(await inside({ type: 'text', text: '' })).toEqual([{ type: 'text', text: '' }]);
  });
});

describe('the end of an own agent', () => {
  const said = [{ type: 'text', text: 'hello' }];
  const whole = [{ type: 'step-start' }, ...said, { type: 'step-end', last: true }];

  it('is said by it, and then happens', async () => {
    expect(await read([...said, DONE])).toEqual({ events: whole });
    expect(await read([...said, { type: 'step-end', last: true }])).toEqual({ events: whole });
    expect(await read([...said, DONE, 'not read', { type: 'error' }])).toEqual({ events: whole });
    expect(await read([DONE])).toEqual({ events: [whole[0], whole.at(-1)] });
  });

  it('is none if it is not said, or if the stream breaks all the same', async () => {
    const begun = whole.slice(0, -1);
    expect(await read(said)).toEqual({ events: begun, code: 'agent_broke_off' });
    expect(await read([])).toEqual({ events: [], code: 'agent_broke_off' });
    expect(await read([...said, { type: 'step-end' }])).toMatchObject({ code: 'agent_broke_off' });
    expect(await read([...said, DONE], { breaks: true })).toEqual({ events: begun, code: 'cut' });
  });

  it('is an error if it says so, under its code if that is one', async () => {
    for (const [code, told] of [
      ['model_unavailable', 'model_unavailable'],
      [undefined, 'agent_failed'],
      ['Not a code', 'agent_failed'],
      ['a'.repeat(26), 'agent_failed'],
    ])
      expect((await read([...said, { type: 'error', code, message: 'private' }])).code).toBe(told);
  });
});

describe('the steps of an own agent', () => {
  const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1 });
  const two = [
    { type: 'step-start' },
    { type: 'text', text: 'one' },
    { type: 'step-end', usage: usage(10) },
    { type: 'step-start' },
    { type: 'text', text: 'two' },
    { type: 'step-end', usage: usage(20), last: true },
  ];

  it('move the safe point only if it is resumable', async () => {
    expect(await read([START, ...two])).toEqual({ events: two });
    expect(await read(two)).toEqual({
      events: [
        { type: 'step-start' },
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
        { type: 'step-end', last: true, usage: { inputTokens: 30, outputTokens: 2 } },
      ],
    });
    expect(await read([two[1], START, ...two])).toMatchObject({
      events: { length: 5 },
    });
    for (const resumable of ['true', 1, undefined])
      expect((await read([{ type: 'start', resumable }, ...two])).events).toHaveLength(4);
  });

  it('are whole, whatever it leaves out or says twice', async () => {
    const text = { type: 'text', text: 'x' };
    const [begin, end] = [{ type: 'step-start' }, { type: 'step-end' }];
    expect(await read(['', START, end, text, end, end, begin, begin, text, end, DONE])).toEqual({
      events: [begin, text, end, begin, text, end, begin, { type: 'step-end', last: true }],
    });
  });

  it('are never said again behind a takeover by one that starts over', async () => {
    expect(await read([START, ...two.slice(3)], { behindSteps: true })).toEqual({ events: two.slice(3) });
    expect(await read(two, { behindSteps: true })).toEqual({ events: [], code: 'agent_not_resumable' });
  });
});

describe('a question of an own agent', () => {
  const step = [{ type: 'step-start' }, { type: 'text', text: 'hm' }];
  const ask = { type: 'waiting', question: ' May I? ', who: '@eve:hs', choices: ['maybe'], call: 'c' };
  const asked = { type: 'waiting', question: 'May I?', choices: ['yes', 'no'], who: '@ana:hs', until: HOUR };

  it('is for the person the turn runs for, behind a whole step, within the hour', async () => {
    const events = [...step, { type: 'step-end' }, asked];
    expect(await read([START, ...step, ask])).toEqual({ events });
    expect(await read([START, ...step, { type: 'step-end' }, ask, step[1]])).toEqual({ events });
    const until = async (ms: unknown) => (await read([START, { ...ask, until: ms }])).events.at(-1);
    expect(await until(5)).toEqual({ ...asked, until: 5 });
    expect(await until(HOUR * 9)).toEqual(asked);
    expect(await until('soon')).toBeUndefined();
  });

  it('is asked only if the agent can go on behind it, and the stream did not break', async () => {
    expect(await read([...step, ask])).toMatchObject({ code: 'agent_not_resumable' });
    const broken = await read([START, ...step, ask], { breaks: true });
    expect(canonical(numbered(broken.events)).some(({ event }) => event.type === 'waiting')).toBe(false);
    expect(broken.code).toBe('cut');
  });

  it('has words, and not too many', async () => {
    for (const question of ['  ', undefined, 'x'.repeat(4_001)])
      expect(await read([START, { ...ask, question }])).toEqual({ events: [], code: 'agent_bad_line' });
  });
});
