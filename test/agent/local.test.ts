/** What the local model understands, each in plain words. */
import { describe, expect, it } from 'vitest';
import { AgentError, type AgentInput } from '../../functions/agent/agent.ts';
import { localAgent } from '../../functions/agent/local.ts';
import { manuscript } from '../../functions/agent/manuscript.ts';
import type { Tool } from '../../functions/agent/tool.ts';
import { textOf } from '../../functions/turns/log.ts';
import { all, numbered } from '../contracts/agent.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { inputOf } from './input.ts';

async function run(input: AgentInput, wordDelayMs = 0) {
  const clock = virtualClock();
  const events = await all(
    clock,
    localAgent({ clock, wordDelayMs }).run(input, new AbortController().signal),
  );
  return { events, text: textOf(numbered(events)), took: clock.monotonic() };
}
const said = async (text: string, more: Partial<AgentInput> = {}) => (await run(inputOf(text, more))).text;

const tool = (name: string, run: Tool['run'] = async () => ({ ok: name })): Tool => ({
  name,
  description: name,
  parameters: {},
  run,
});

describe('the local model', () => {
  it('says anything else back, with the name, and counts what was said before', async () => {
    expect(await said('hello there')).toBe('Ana said: hello there');
    const history = [{ role: 'user', text: 'a' }] as const;
    expect(await said('hello', { history })).toBe('Ana said (1 earlier messages): hello');
  });

  it('answers all messages of a turn at once, the last of them decides', async () => {
    const asked = ['one', 'two'].map((text) => ({ event: `$${text}`, sender: '@ana:hs', name: 'Ana', text }));
    expect(await said('', { asked })).toBe('Ana said: one\ntwo');
    const [one] = asked;
    expect(await said('', { asked: [one!, { ...one!, text: 'count to 2' }] })).toBe('1, 2.');
  });

  it('is addressed by any name', async () => {
    for (const name of ['bot: ', '@bot ', 'bot, ', '']) expect(await said(`${name}count to 1`)).toBe('1.');
  });

  it('writes that much, the same each time, word by word', async () => {
    const { events, text } = await run(inputOf('write 100 words'));
    expect(text).toBe(manuscript(100, 'words'));
    expect(text.split(/\s+/).length).toBeGreaterThanOrEqual(100);
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(90);
    const kb = await said('write 3 KB');
    expect(Buffer.byteLength(kb)).toBeGreaterThanOrEqual(3 * 1_024);
    expect(await said('write 0 words')).toBe('');
  });

  it('counts a number a second, whatever its speed', async () => {
    const { text, took } = await run(inputOf('count to 20'));
    expect(text).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20.');
    expect(took).toBeGreaterThanOrEqual(20_000);
  });

  it('pauses before each word as long as it is told', async () => {
    expect((await run(inputOf('a b'), 600)).took).toBeGreaterThanOrEqual(4 * 600);
  });

  it('fails as a model does', async () => {
    await expect(run(inputOf('fail'))).rejects.toThrow(AgentError);
    await expect(run(inputOf('fail please'))).rejects.toMatchObject({ code: 'model_unavailable' });
  });

  it('gives the question its time and the yes its words', async () => {
    const { events } = await run(inputOf('ask me first: paint it'));
    expect(events.at(-1)).toMatchObject({ question: 'May I answer this: paint it' });
    const steps = numbered(events);
    const by = '@ana:hs';
    expect(await said('ask me first: paint it', { steps, consent: { choice: 'yes', by } })).toBe(
      'You said yes. paint it',
    );
    expect(await said('ask me first: paint it', { steps, consent: { choice: 'no', by } })).toBe(
      'You said no, so I leave it.',
    );
    expect(await said('ask me first: paint it', { steps })).toBe('You said no, so I leave it.');
  });
});

describe('its tools', () => {
  it('are called with what was asked, in a step of their own', async () => {
    const given: unknown[] = [];
    const tools = [tool('pin_room_fact', async (args) => void given.push(args))];
    const { events, text } = await run(inputOf('remember that we meet at nine', { tools }));
    expect(given).toEqual([{ fact: 'we meet at nine' }]);
    expect(events.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([
      'step-start',
      'tool-call',
      'tool-result',
      'step-end',
      'step-start',
      'step-end',
    ]);
    expect(text).toBe('I will remember that.');
  });

  it('are not called if they are not offered', async () => {
    expect(await said('remember that')).not.toContain('will remember');
    expect(await said('remember we meet', { tools: [tool('other')] })).toBe(
      'I have no tool here to remember that with.',
    );
  });

  it('are not called again behind a finished step', async () => {
    const tools = [tool('search_channel_memory', async () => expect.fail('again'))];
    const first = await run(
      inputOf('what did we say about the boat?', { tools: [tool('search_channel_memory')] }),
    );
    const end = first.events.findIndex(({ type }) => type === 'step-end');
    const steps = numbered(first.events.slice(0, end + 1));
    expect(await said('what did we say about the boat?', { tools, steps })).toBe(first.text);
    expect(first.text).toBe('I found: {"ok":"search_channel_memory"}');
  });

  it('without one it recalls from what it was given', async () => {
    const history = [{ role: 'user', text: 'The boat is red' }] as const;
    const recent = [{ event: '$0', sender: '@ben:hs', name: 'Ben', text: 'a boat' }];
    expect(await said('what did we say about the boat?', { history })).toBe('We said: “The boat is red”');
    expect(await said('what did we say about boat', { history, recent })).toContain('“a boat”');
    expect(await said('what did we say about cats?', { history })).toBe('I remember nothing about cats.');
  });

  it('do not start once the signal has aborted', async () => {
    const stop = new AbortController();
    const tools = [tool('pin_room_fact', async () => expect.fail('it ran'))];
    const run = localAgent({ clock: virtualClock(), wordDelayMs: 0 }).run(
      inputOf('remember this', { tools }),
      stop.signal,
    );
    for await (const { type } of run) {
      if (type === 'tool-call') stop.abort();
      expect(type).not.toBe('text');
    }
  });
});
