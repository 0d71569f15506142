/** What somebody's own agent is asked, as the JSON object that `PROTOCOL.md` ("Own agents") specifies. */
import type { AgentInput } from '../../agent/agent.ts';
import type { Numbered } from '../../turns/events.ts';

const VERSION = 1;

export function requestOf(input: AgentInput): string {
  const { turn, attempt, principal, roomKind, asked, recent, history, deadline } = input;
  return JSON.stringify({
    v: VERSION,
    turn,
    attempt,
    principal,
    input: { room: roomKind, messages: asked, recent },
    history,
    steps: finishedSteps(input).flatMap((numbered) => [numbered.event, ...answerTo(numbered, input)]),
    deadline,
    idempotencyKey: `${turn}.${finishedSteps(input).at(-1)?.seq ?? 0}`,
  });
}

/** The events of finished steps: the turn's own beginning is none of the agent's. */
export const finishedSteps = ({ steps }: AgentInput): Numbered[] =>
  steps.filter(({ event }) => event.type !== 'start');

/** The answer to the newest question stands right behind it. */
function answerTo({ seq }: Numbered, { steps, consent }: AgentInput): object[] {
  const newest = steps.findLast(({ event }) => event.type === 'waiting');
  return consent && seq === newest?.seq ? [{ type: 'consent', choice: consent.choice }] : [];
}
