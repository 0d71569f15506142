/** The agent and the log: what is stored before the agent goes on, and every way in which its work ends. */
import { describe, expect, it } from 'vitest';
import { type Agent, AgentError, type AgentInput } from '../../functions/agent/agent.ts';
import { runCall } from '../../functions/agent/tools.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { headSize } from '../model/log-table.ts';
import { Shop, type ShopOptions } from './shop.ts';

type Says = (shop: Shop, input: AgentInput, signal: AbortSignal) => AsyncGenerator<TurnEvent>;

const say = (text: string): TurnEvent => ({ type: 'text', part: 1, text });
const call: TurnEvent = { type: 'tool-call', id: 'c1', name: 'paint', arguments: {} };
const result: TurnEvent = { type: 'tool-result', id: 'c1', name: 'paint', result: 1 };
const last: TurnEvent = { type: 'step-end', last: true };

function shopWith(says: Says, options?: ShopOptions): Shop {
  const shop = new Shop(options);
  const agent: Agent = { run: (input, signal) => says(shop, input, signal) };
  shop.agent = agent;
  return shop;
}

/** A turn of such an agent, from question to end. */
async function played(says: Says, options?: ShopOptions) {
  const shop = shopWith(says, options);
  const turn = await shop.ask('go');
  await shop.run();
  return { shop, turn, head: shop.head(turn), types: (await shop.events(turn)).map(({ type }) => type) };
}

describe('before the agent goes on', () => {
  it('a tool’s call is stored, and its result', async () => {
    const stored: string[][] = [];
    const { types } = await played(async function* (shop, { turn }) {
      yield { type: 'step-start' };
      yield call;
      stored.push((await shop.events(turn)).map(({ type }) => type));
      yield result;
      stored.push((await shop.events(turn)).map(({ type }) => type));
      yield last;
    });
    expect(stored[0]!.at(-1)).toBe('tool-call');
    expect(stored[1]!.at(-1)).toBe('tool-result');
    expect(types.slice(0, 5)).toEqual(['start', 'step-start', 'tool-call', 'tool-result', 'text']);
  });

  it('a step’s end is stored as soon as something follows it', async () => {
    let safePoint = 0;
    const { shop, turn } = await played(async function* (shop, { turn }) {
      yield { type: 'step-start' };
      yield say('a');
      yield { type: 'step-end' };
      yield { type: 'step-start' };
      ({ safePoint } = shop.head(turn));
      yield say('b');
      yield last;
    });
    const events = await shop.events(turn);
    expect(events[safePoint - 1]).toEqual({ type: 'step-end' });
  });

  it('a step’s end and the question behind it are one write', async () => {
    const { shop, turn } = await played(async function* (shop, { principal, turn }) {
      yield { type: 'step-start' };
      yield say('a');
      yield { type: 'step-end' };
      expect(shop.head(turn).safePoint).toBe(1);
      const until = shop.clock.now() + 1e6;
      yield { type: 'waiting', question: 'shall I?', choices: ['yes', 'no'], who: principal, until };
      expect.fail('it went on behind its question');
    });
    expect(shop.head(turn)).toMatchObject({ status: 'waiting', tail: 5, safePoint: 5 });
    expect(shop.calls.filter(({ name }) => name === 'append waiting')).toHaveLength(1);
  });

  it('a megabyte is written', async () => {
    const { shop, turn } = await played(async function* (shop, { turn }) {
      for (let n = 0; n < 6; n++) {
        yield { type: 'data', n, fill: 'x'.repeat(290_000) };
        if (n === 5) expect(shop.head(turn).tail).toBeGreaterThanOrEqual(4);
      }
      yield last;
    });
    expect(shop.head(turn).status).toBe('complete');
  });

  it('no tool runs while nothing could be stored for 8 s', async () => {
    let ran = false;
    const shop = shopWith(async function* (shop) {
      yield say('a');
      await shop.clock.sleep(500);
      shop.before('append plain', () => shop.clock.sleep(9_000));
      yield call;
      ran = true;
      yield result;
    });
    const turn = await shop.ask('go');
    // The write was answered in the end: the tool may run then.
    await shop.run();
    expect([ran, shop.head(turn).status]).toEqual([true, 'complete']);
  });
});

describe('it ends', () => {
  it('with its last step, whatever it would still say', async () => {
    const { types, shop } = await played(async function* () {
      yield say('a');
      yield last;
      expect.fail('it went on behind its last step');
    });
    expect(types).toEqual(['start', 'text', 'step-end', 'done', 'turn_status']);
    expect(shop.bodies()).toEqual(['a']);
  });

  it('with a last step of ours if it had none', async () => {
    const { types, shop } = await played(async function* () {
      yield say('a');
    });
    expect(types).toEqual(['start', 'text', 'step-end', 'done', 'turn_status']);
    expect(shop.bodies()).toEqual(['a']);
  });

  it.each([
    ['nothing', []],
    ['blanks', [say(' '), say('\n')]],
  ])('with a fixed sentence if it said %s', async (_, words) => {
    const { shop, turn } = await played(async function* () {
      yield* words;
      yield last;
    });
    expect(shop.bodies().map((body) => body.trim())).toEqual(['I have nothing to say to that.']);
    expect(await shop.text(turn)).toContain('I have nothing to say to that.');
  });

  it('with its usage summed over the steps', async () => {
    const { shop, turn } = await played(async function* () {
      yield say('a');
      yield { type: 'step-end', usage: { inputTokens: 3, outputTokens: 4 } };
      yield { type: 'step-end', last: true, usage: { inputTokens: 10, outputTokens: 20 } };
    });
    const done = (await shop.events(turn)).find(({ type }) => type === 'done');
    expect(done).toMatchObject({
      message: { role: 'assistant', content: 'a', usage: { inputTokens: 13, outputTokens: 24 } },
    });
  });

  it.each([
    ['model_unavailable', new AgentError('model_unavailable'), 'the model is unavailable'],
    ['agent_failed', new TypeError('secret inside'), 'something went wrong'],
  ])('as an error: %s', async (reason, error, words) => {
    const { shop, turn, head } = await played(async function* () {
      yield say('a');
      throw error;
    });
    expect(head).toMatchObject({ status: 'error', reason });
    expect((await shop.events(turn)).slice(-2)).toEqual([
      { type: 'error', code: reason },
      { type: 'turn_status', status: 'error', reason },
    ]);
    expect(shop.posts()).toMatchObject([
      { msgtype: 'm.notice', body: `I could not answer: ${words}. ${turn}` },
    ]);
    expect(JSON.stringify([shop.logged, shop.turns.all()])).not.toContain('secret inside');
  });

  it('with a reason that HEAD has room for, whatever an agent calls its failure', async () => {
    const { shop, head } = await played(async function* () {
      yield say('a');
      throw new AgentError('x'.repeat(2_000));
    });
    expect(head.status).toBe('error');
    expect(head.reason!.length).toBeLessThanOrEqual(25);
    const row = shop.turns.all().find(({ sk }) => sk === 'HEAD')!;
    expect(headSize(row)).toBeLessThanOrEqual(1_024);
  });

  it('with its time: 15 minutes, or the invocation’s less 20 s', async () => {
    let told: AbortSignal | undefined;
    let deadline = 0;
    const shop = shopWith(async function* (shop, input, signal) {
      told = signal;
      ({ deadline } = input);
      yield say('a');
      await shop.clock.sleep(3_600_000);
      yield say('too late');
    });
    const turn = await shop.ask('go');
    const began = shop.clock.now();
    await shop.finish(shop.receive('turns', 100_000));
    expect(deadline - began).toBeLessThanOrEqual(80_000);
    expect(deadline - began).toBeGreaterThan(79_000);
    expect(told!.aborted).toBe(true);
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'time_limit' });
    // Its note needs more time than is left.
    await shop.clock.advance(60_000);
    await shop.run();
    expect(shop.bodies()).toEqual([`I could not answer: it took too long. ${turn}`]);
    expect(await shop.text(turn)).toBe('a');
  });

  it('of 15 minutes too, in an invocation that has more', async () => {
    const shop = shopWith(async function* (shop, { deadline }) {
      expect(deadline - shop.clock.now()).toBeLessThanOrEqual(15 * 60_000);
      yield say('a');
    });
    const turn = await shop.ask('go');
    await shop.finish(shop.receive('turns', 3_600_000));
    expect(shop.head(turn).status).toBe('complete');
  });
});

describe('a turn near the end of its invocation', () => {
  it('is given back rather than begun without the time to end it', async () => {
    for (const remaining of [5_000, 16_000, 22_000, 59_000]) {
      const shop = shopWith(async function* (shop) {
        await shop.clock.sleep(8_000);
        yield say('a');
      });
      const turn = await shop.ask('go');
      const handled = await shop.finish(shop.receive('turns', remaining));
      expect([remaining, handled]).toEqual([remaining, { kind: 'again', seconds: 5 }]);
      expect(shop.head(turn).status).toBe('queued');
      await shop.clock.advance(6_000);
      await shop.run();
      expect(shop.bodies()).toEqual(['a']);
    }
  });
});

describe('a takeover', () => {
  it('gives the finished steps and the calls that were started, and does not run a tool again', async () => {
    const runs: number[] = [];
    const inputs: AgentInput[] = [];
    const tools = [
      {
        name: 'paint',
        description: 'paints',
        parameters: {},
        run: async () => {
          runs.push(1);
          await new Promise<void>(() => undefined);
        },
      },
    ];
    const shop = shopWith(
      async function* (shop, input, signal) {
        inputs.push(input);
        yield { type: 'step-start' };
        if (input.attempt === 1) {
          yield say('one');
          yield { type: 'step-end' };
          yield { type: 'step-start' };
        }
        yield call;
        const limits = { clock: shop.clock, timeoutMs: 30_000 };
        yield await runCall(limits, input, call as Extract<TurnEvent, { type: 'tool-call' }>, 1, signal);
        yield say(`two of ${input.attempt}`);
        yield last;
      },
      { tools },
    );
    const turn = await shop.ask('go');
    // Its owner falls asleep in the tool: the store does not answer it any more.
    const stuck = shop.receive();
    await shop.clock.advance(1_000);
    expect(shop.head(turn)).toMatchObject({ phase: 'tool', attempt: 1 });
    shop.before('beat', () => new Promise<void>(() => undefined));
    await shop.clock.advance(14_000);
    shop.queues.send('turns', 'another', JSON.stringify({ v: 1, kind: 'turn', turn }));
    await shop.finish(shop.receive());
    expect(runs).toHaveLength(1);
    expect(inputs[1]!.steps.map(({ event }) => event.type)).toEqual([
      'start',
      'step-start',
      'text',
      'step-end',
    ]);
    expect(inputs[1]!.started).toEqual([call]);
    const events = await shop.events(turn);
    expect(events.find((event) => event.type === 'tool-result')).toMatchObject({
      id: 'c1',
      failed: 'execution_error',
      result: expect.stringContaining('Outcome unknown'),
    });
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 2 });
    expect(await shop.text(turn)).toBe('onetwo of 2');
    stuck.catch(() => undefined);
  });
});
