/**
 * The agent of the flow's model: it repeats the words it was asked, in two steps with a pause, and asks first where the
 * words say so, and at length where they say that.
 */
import type { Agent } from '../../../functions/agent/agent.ts';
import type { TurnEvent } from '../../../functions/turns/events.ts';
import type { Process, World } from '../world.ts';

export function flowAgent(world: World, process: Process): Agent {
  const clock = world.clock(process);
  const { below, hit } = world.chance;
  return {
    async *run(input, signal): AsyncGenerator<TurnEvent> {
      const done = input.steps.some(({ event }) => event.type === 'step-end');
      const words = input.asked.map(({ text }) => text).join(' ');
      if (!done) {
        yield { type: 'step-start' };
        await clock.sleep(hit(0.1) ? below(8_000) : below(300), signal);
        if (signal.aborted) return;
        yield { type: 'text', part: 1, text: `heard ${words}` };
        yield { type: 'step-end' };
        if (words.includes('ask')) {
          yield {
            type: 'waiting',
            question: 'shall I?',
            choices: ['yes', 'no'],
            who: input.principal,
            until: clock.now() + 120_000,
          };
          return;
        }
      }
      yield { type: 'step-start' };
      await clock.sleep(below(300), signal);
      if (signal.aborted) return;
      yield {
        type: 'text',
        part: 2,
        text: words.includes('long') ? longText() : `done ${input.consent?.choice ?? ''}`,
      };
      yield { type: 'step-end', last: true };
    },
  };
}

/** Enough for three messages. */
const longText = () =>
  Array.from({ length: 90 }, (_, n) => `Paragraph ${n}. ${'word '.repeat(199)}`).join('\n\n');
