/** The local model as somebody's own agent: it is asked by a request's JSON alone, and its lines come back as bytes. */
import type { Transport } from '../../../functions/adapters/agent-function/own.ts';
import type { AgentInput } from '../../../functions/agent/agent.ts';
import { localAgent } from '../../../functions/agent/local.ts';
import type { Clock } from '../../../functions/runtime/clock.ts';
import type { Choice, TurnEvent } from '../../../functions/turns/events.ts';
import { numbered } from '../../contracts/agent.ts';

type Request = Pick<AgentInput, 'turn' | 'attempt' | 'principal' | 'history' | 'deadline'> & {
  readonly input: { readonly room: AgentInput['roomKind'] } & Record<
    'messages' | 'recent',
    AgentInput['asked']
  >;
  readonly steps: readonly (TurnEvent | { readonly type: 'consent'; readonly choice: Choice })[];
};

export const farSide = (clock: Clock, wordDelayMs: number): Transport =>
  async function* (text, signal) {
    yield Buffer.from('{"type":"start","resumable":true}\n');
    for await (const event of localAgent({ clock, wordDelayMs }).run(inputOf(text), signal)) {
      const bytes = Buffer.from(`${JSON.stringify(event)}\n`);
      yield bytes.subarray(0, 7);
      yield bytes.subarray(7);
    }
  };

function inputOf(text: string): AgentInput {
  const { input, steps, ...same } = JSON.parse(text) as Request;
  const { room: roomKind, messages: asked, recent } = input;
  const answer = steps.find((event) => event.type === 'consent');
  return {
    ...same,
    roomKind,
    asked,
    recent,
    steps: numbered(steps.filter((event) => event.type !== 'consent')),
    started: [],
    tools: [],
    ...(answer && { consent: { choice: answer.choice, by: same.principal } }),
  };
}
