/**
 * The agent of the log's model: some steps of text in odd sizes, perhaps a tool, perhaps a question. Each piece of text
 * names the step, the attempt and the process that wrote it, so that a mixture of two shows.
 */
import type { Agent } from '../../functions/agent/agent.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import type { Process, World } from './world.ts';

export type Plan = {
  readonly steps: number;
  /** The step that ends with a question, and the one that runs a tool; -1 = none. */
  readonly ask: number;
  readonly tool: number;
  readonly limitMs: number;
};

export function planOf(world: World): Plan {
  const { below, hit } = world.chance;
  const steps = 1 + below(3);
  return {
    steps,
    ask: steps > 1 && hit(0.5) ? below(steps - 1) : -1,
    tool: hit(0.3) ? below(steps) : -1,
    limitMs: 40_000 + below(160_000),
  };
}

/** `ran` notes each run of a tool; a second one of the same call is a violation. */
export function modelAgent(world: World, process: Process, plan: Plan, ran: Set<number>): Agent {
  const clock = world.clock(process);
  const { below, hit, pick } = world.chance;
  return {
    async *run(input, signal): AsyncGenerator<TurnEvent> {
      const done = input.steps.filter(({ event }) => event.type === 'step-end').length;
      const asked = input.steps.some(({ event }) => event.type === 'waiting');
      const startedTool =
        input.started.length > 0 || input.steps.some(({ event }) => event.type === 'tool-call');
      if (asked && !input.consent) world.fail('went on without consent');
      for (let step = done; step < plan.steps; step++) {
        const me = `${step}.${input.attempt}.${process.id}`;
        yield { type: 'step-start' };
        if (asked && plan.ask === step - 1)
          yield { type: 'text', part: step, text: `<${me}:${input.consent?.choice}>` };
        for (let n = 0, pieces = 1 + below(6); n < pieces; n++) {
          await clock.sleep(hit(0.05) ? below(4_000) : 5 + below(150), signal);
          if (signal.aborted) return;
          const filling = hit(0.1) ? 'x'.repeat(below(900)) : hit(0.1) ? 'é☃'.repeat(below(60)) : '';
          yield {
            type: n > 0 && hit(0.15) ? 'reasoning' : 'text',
            part: step,
            text: `<${me}:${n}${filling}>`,
          };
          if (hit(0.1)) yield { type: 'data', d: 'y'.repeat(below(1_700)) };
        }
        if (plan.tool === step && !startedTool) {
          yield { type: 'tool-call', id: `t${step}`, name: 'tool', arguments: {} };
          if (ran.has(step)) world.fail('a tool ran twice');
          ran.add(step);
          await clock.sleep(below(3_000), signal);
          if (signal.aborted) return;
          yield { type: 'tool-result', id: `t${step}`, name: 'tool', result: pick(['a', null, 1]) };
        }
        const last = step === plan.steps - 1;
        yield last ? { type: 'step-end', last } : { type: 'step-end' };
        if (plan.ask === step && !asked) {
          yield {
            type: 'waiting',
            question: 'go on?',
            choices: ['yes', 'no'],
            who: 'person',
            until: clock.now() + plan.limitMs,
          };
          return;
        }
      }
    },
  };
}
