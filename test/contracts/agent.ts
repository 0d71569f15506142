/**
 * The contract of the agent port, run on every agent. `words` are requests that make this one answer at length, with
 * nothing, or ask first.
 */
import { describe, expect, it } from 'vitest';
import type { Agent, AgentInput } from '../../functions/agent/agent.ts';
import type { Tool, ToolCall } from '../../functions/agent/tool.ts';
import type { Numbered, TurnEvent } from '../../functions/turns/events.ts';
import { canonical, textOf } from '../../functions/turns/log.ts';
import { inputOf } from '../agent/input.ts';
import { type VirtualClock, virtualClock } from '../dev/homeserver/virtual-clock.ts';

export type AgentWords = {
  readonly speak: string;
  readonly nothing?: string;
  readonly ask: string;
  /** Makes it call that tool, if it is offered. */
  readonly call?: { readonly tool: string; readonly request: string };
};

/** Everything a run yields, while time goes by as fast as it can. */
export async function all(clock: VirtualClock, run: AsyncIterable<TurnEvent>): Promise<TurnEvent[]> {
  const events: TurnEvent[] = [];
  const over = (async () => {
    for await (const event of run) events.push(event);
  })();
  let done = false;
  const settled = () => {
    done = true;
  };
  over.then(settled, settled);
  while (!done) await clock.advance(1_000);
  await over;
  return events;
}

export const numbered = (events: readonly TurnEvent[], from = 1): Numbered[] =>
  events.map((event, index) => ({ seq: from + index, event }));

export function agentContract(name: string, make: (clock: VirtualClock) => Agent, words: AgentWords): void {
  const never = new AbortController().signal;
  const run = (input: AgentInput) => {
    const clock = virtualClock();
    return all(clock, make(clock).run(input, never));
  };
  const spoken = (events: readonly TurnEvent[]) => textOf(canonical(numbered(events)));

  describe(`agent: ${name}`, () => {
    it('speaks in steps and ends with the last one’s end', async () => {
      const events = await run(inputOf(words.speak));
      expect(events[0]).toEqual({ type: 'step-start' });
      expect(events.at(-1)).toMatchObject({ type: 'step-end', last: true });
      expect(events.filter((event) => event.type === 'step-end' && event.last)).toHaveLength(1);
      expect(spoken(events)).not.toBe('');
      let open = false;
      for (const { type } of events) {
        expect(type === 'step-start').toBe(!open);
        open = type !== 'step-end';
      }
    });

    it('says the same to the same', async () => {
      expect(await run(inputOf(words.speak))).toEqual(await run(inputOf(words.speak)));
      expect(await run(inputOf(words.speak, { attempt: 2 }))).toEqual(await run(inputOf(words.speak)));
    });

    it('is pulled: it says nothing that nobody takes', async () => {
      const clock = virtualClock();
      const iterator = make(clock).run(inputOf(words.speak), never)[Symbol.asyncIterator]();
      expect(await iterator.next()).toEqual({ done: false, value: { type: 'step-start' } });
      await clock.advance(60_000);
      expect(clock.sleepers()).toBe(0);
      await iterator.return?.(undefined);
      expect(await iterator.next()).toMatchObject({ done: true });
    });

    it('heeds its signal: it ends at once, without a last step, and leaves nothing asleep', async () => {
      const whole = await run(inputOf(words.speak));
      for (let taken = 0; taken < Math.min(whole.length - 1, 6); taken++) {
        const clock = virtualClock();
        const stop = new AbortController();
        const events: TurnEvent[] = [];
        const over = (async () => {
          if (taken === 0) stop.abort();
          for await (const event of make(clock).run(inputOf(words.speak), stop.signal)) {
            events.push(event);
            if (events.length === taken) stop.abort();
          }
        })();
        for (let waited = 0; events.length < taken && waited < 100; waited++) await clock.advance(1_000);
        await clock.advance(0);
        await over;
        expect(events.length).toBeLessThanOrEqual(taken + 2);
        expect(events.some((event) => event.type === 'step-end' && event.last)).toBe(false);
        expect(clock.sleepers()).toBe(0);
      }
    });

    it('goes on behind finished steps, and does not do them again', async () => {
      const whole = await run(inputOf(words.ask));
      const steps = numbered(whole);
      const consent = { choice: 'yes', by: '@ana:hs' } as const;
      const rest = await run(inputOf(words.ask, { steps, consent }));
      expect(rest[0]).toEqual({ type: 'step-start' });
      expect(rest.at(-1)).toMatchObject({ type: 'step-end', last: true });
      expect(rest.some(({ type }) => type === 'waiting')).toBe(false);
    });

    it('asks behind a whole step, and ends with the question', async () => {
      const events = await run(inputOf(words.ask));
      expect(events.at(-2)!.type).toBe('step-end');
      expect(events.at(-2)).not.toHaveProperty('last');
      expect(events.at(-1)).toMatchObject({
        type: 'waiting',
        who: '@ana:hs',
        choices: ['yes', 'no'],
        question: expect.stringMatching(/\S/),
        until: expect.any(Number),
      });
    });

    it('says other things to a yes and to a no', async () => {
      const steps = numbered(await run(inputOf(words.ask)));
      const by = '@ana:hs';
      const [yes, no] = [
        spoken(await run(inputOf(words.ask, { steps, consent: { choice: 'yes', by } }))),
        spoken(await run(inputOf(words.ask, { steps, consent: { choice: 'no', by } }))),
      ];
      expect(yes).not.toBe('');
      expect(no).not.toBe('');
      expect(yes).not.toBe(no);
    });

    if (words.call !== undefined) {
      const { tool: name, request } = words.call;
      const offering = (run: Tool['run']) => [{ name, description: 'a test', parameters: {}, run }];

      it('calls a tool that is offered, with one result under the call’s id, in a whole step', async () => {
        const events = await run(inputOf(request, { tools: offering(async () => 'done') }));
        const at = events.findIndex(({ type }) => type === 'tool-call');
        const id = (events[at] as ToolCall).id;
        expect(events[at]).toMatchObject({ name, arguments: expect.any(Object) });
        expect(events[at + 1]).toEqual({ type: 'tool-result', id, name, result: 'done' });
        expect(events.slice(at + 2).find(({ type }) => type === 'step-end')).not.toHaveProperty('last');
        expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(1);
        expect(spoken(events)).not.toBe('');
      });

      it('runs no tool before its call was taken', async () => {
        let ran = false;
        const tools = offering(async () => {
          ran = true;
        });
        const clock = virtualClock();
        for await (const { type } of make(clock).run(inputOf(request, { tools }), never)) {
          if (type === 'tool-call') expect(ran).toBe(false);
          if (type === 'tool-result') break;
        }
        expect(ran).toBe(true);
      });

      it('calls none that is not offered, and answers all the same', async () => {
        const events = await run(inputOf(request));
        expect(events.some(({ type }) => type === 'tool-call')).toBe(false);
        expect(spoken(events)).not.toBe('');
      });

      it('takes a tool’s failure for an observation', async () => {
        const tools = offering(async () => {
          throw new Error('odd');
        });
        const events = await run(inputOf(request, { tools }));
        expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
          failed: 'execution_error',
        });
        expect(events.at(-1)).toMatchObject({ type: 'step-end', last: true });
      });

      it('calls it not again behind the step it was called in', async () => {
        const whole = await run(inputOf(request, { tools: offering(async () => 'done') }));
        const steps = numbered(whole.slice(0, whole.findIndex(({ type }) => type === 'step-end') + 1));
        const tools = offering(async () => expect.fail('called again'));
        const rest = await run(inputOf(request, { tools, steps }));
        expect(rest.some(({ type }) => type === 'tool-call')).toBe(false);
      });
    }

    if (words.nothing !== undefined) {
      const { nothing } = words;
      it('may have nothing to say, and ends all the same', async () => {
        const events = await run(inputOf(nothing));
        expect(spoken(events)).toBe('');
        expect(events.at(-1)).toMatchObject({ type: 'step-end', last: true });
      });
    }
  });
}
