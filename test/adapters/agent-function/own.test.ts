import { describe, expect, it } from 'vitest';
import { ownAgent, SILENCE_MS, type Transport } from '../../../functions/adapters/agent-function/own.ts';
import { requestOf } from '../../../functions/adapters/agent-function/request.ts';
import { AgentError, type AgentInput } from '../../../functions/agent/agent.ts';
import type { TurnEvent } from '../../../functions/turns/events.ts';
import { inputOf } from '../../agent/input.ts';
import { agentContract, numbered } from '../../contracts/agent.ts';
import { type VirtualClock, virtualClock } from '../../dev/homeserver/virtual-clock.ts';
import { farSide } from './far-side.ts';
import { allOf } from './read.ts';

const words = { speak: 'write 20 words', nothing: 'write 0 words', ask: 'ask me first: paint it blue' };
agentContract('own, at full speed', (clock) => ownAgent(farSide(clock, 0), clock), words);
agentContract('own, word by word', (clock) => ownAgent(farSide(clock, 40), clock), words);

const BEGUN = '{"type":"text","text":"hello"}\n';
const never = new AbortController().signal;
const forever = () => new Promise<never>(() => undefined);

/** What comes of a run, and whether its transport was told to leave. */
async function outcome(transport: Transport, { ms = 0, signal = never } = {}) {
  const clock: VirtualClock = virtualClock();
  const events: TurnEvent[] = [];
  let left: AbortSignal | undefined;
  let ended: unknown = 'not';
  const agent = ownAgent((request, given) => {
    left = given;
    return transport(request, given);
  }, clock);
  const over = (async () => {
    for await (const event of agent.run(inputOf('hello'), signal)) events.push(event);
  })().then(
    () => (ended = 'well'),
    (error: { code?: unknown }) => (ended = error.code),
  );
  await clock.advance(ms);
  if (ended !== 'not') await over;
  return { events, ended, left: left?.aborted, sleepers: clock.sleepers() };
}

const told = [{ type: 'step-start' }, { type: 'text', text: 'hello' }];

describe('an own agent', () => {
  it('is unavailable or broken off or failed, behind what was received', async () => {
    const failing = (error: unknown): Transport =>
      async function* () {
        yield Buffer.from(BEGUN);
        throw error;
      };
    const broken = await outcome(failing(new TypeError('terminated')));
    expect(broken).toEqual({ events: told, ended: 'agent_broke_off', left: true, sleepers: 0 });
    expect(await outcome(failing(new AgentError('agent_failed')))).toMatchObject({ ended: 'agent_failed' });
  });

  it('may be silent for a minute, and no longer', async () => {
    const silent: Transport = async function* () {
      yield Buffer.from(BEGUN);
      await forever();
    };
    expect(await outcome(silent, { ms: SILENCE_MS - 1 })).toMatchObject({ ended: 'not', left: false });
    expect(await outcome(silent, { ms: SILENCE_MS })).toEqual({
      events: told,
      ended: 'agent_silent',
      left: true,
      sleepers: 0,
    });
    expect(
      await outcome(
        async function* () {
          yield await forever();
        },
        { ms: SILENCE_MS },
      ),
    ).toMatchObject({ events: [], ended: 'agent_silent' });
  });

  it('shows by any byte that it lives', async () => {
    const clock = virtualClock();
    const slow: Transport = async function* () {
      for (let n = 0; n < 5; n++) {
        await clock.sleep(SILENCE_MS - 1);
        yield Buffer.from('\n');
      }
      yield Buffer.from('{"type":"done"}');
    };
    const events = allOf(ownAgent(slow, clock).run(inputOf('hello'), never));
    await clock.advance(6 * SILENCE_MS);
    expect(await events).toHaveLength(2);
  });

  it('is left when its turn is stopped, in the middle of a chunk or of a wait, and not called at all before', async () => {
    const stop = new AbortController();
    const events: TurnEvent[] = [];
    let left: AbortSignal | undefined;
    const many: Transport = async function* (_, signal) {
      left = signal;
      yield Buffer.from(BEGUN.repeat(1_000));
      await forever();
    };
    for await (const event of ownAgent(many, virtualClock()).run(inputOf('hello'), stop.signal)) {
      events.push(event);
      if (events.length === 3) stop.abort();
    }
    expect(events).toHaveLength(3);
    expect(left!.aborted).toBe(true);

    const later = new AbortController();
    const hanging: Transport = async function* () {
      yield Buffer.from(BEGUN);
      later.abort();
      await forever();
    };
    expect(await outcome(hanging, { signal: later.signal })).toEqual({
      events: told,
      ended: 'well',
      left: true,
      sleepers: 0,
    });
    expect(await outcome(hanging, { signal: AbortSignal.abort() })).toMatchObject({
      events: [],
      ended: 'well',
      left: undefined,
    });
  });
});

describe('what an own agent is asked', () => {
  const asked = (more: Partial<AgentInput> = {}) => JSON.parse(requestOf(inputOf('hello', more)));
  const steps = numbered([
    { type: 'start', messages: ['t'] },
    { type: 'step-start' },
    { type: 'step-end' },
    { type: 'waiting', question: 'May I?', choices: ['yes', 'no'], who: '@ana:hs', until: 5 },
  ]);

  it('is the turn, and nothing of the worker', () => {
    const recent = [{ event: '$0', sender: '@ben:hs', name: 'Ben', text: 'hi' }];
    const history = [{ role: 'assistant', text: 'Hello!' }] as const;
    const tool = { name: 'x', description: '', parameters: {}, run: async () => undefined };
    expect(asked({ recent, history, roomKind: 'group', tools: [tool], deadline: 9 })).toEqual({
      v: 1,
      turn: 'turn-of-this-input-xxx',
      attempt: 1,
      principal: '@ana:hs',
      input: {
        room: 'group',
        messages: [{ event: '$1', sender: '@ana:hs', name: 'Ana', text: 'hello' }],
        recent,
      },
      history,
      steps: [],
      deadline: 9,
      idempotencyKey: 'turn-of-this-input-xxx.0',
    });
  });

  it('has the finished steps, and the answer behind the newest question', () => {
    expect(asked({ steps }).steps).toEqual(steps.slice(1).map(({ event }) => event));
    const more = [...steps, ...numbered([{ type: 'step-start' }, { type: 'step-end' }], 5)];
    expect(asked({ steps: more, consent: { choice: 'no', by: '@ana:hs' } }).steps).toEqual([
      ...steps.slice(1).map(({ event }) => event),
      { type: 'consent', choice: 'no' },
      { type: 'step-start' },
      { type: 'step-end' },
    ]);
  });

  it('has one key for every attempt at the same work', () => {
    const key = (more: Partial<AgentInput>) => asked(more).idempotencyKey;
    expect(key({ attempt: 2 })).toBe(key({}));
    expect(key({ steps: steps.slice(0, 1) })).toBe(key({}));
    expect(key({ steps, attempt: 2 })).toBe(key({ steps }));
    expect(key({ steps })).not.toBe(key({}));
    expect(key({ turn: 'another' })).not.toBe(key({}));
  });
});
