/** What an agent is given, with nothing special in it. */
import type { AgentInput } from '../../functions/agent/agent.ts';

export function inputOf(text: string, more: Partial<AgentInput> = {}): AgentInput {
  return {
    turn: 'turn-of-this-input-xxx',
    attempt: 1,
    principal: '@ana:hs',
    roomKind: 'direct',
    asked: [{ event: '$1', sender: '@ana:hs', name: 'Ana', text }],
    history: [],
    recent: [],
    steps: [],
    started: [],
    tools: [],
    deadline: Number.MAX_SAFE_INTEGER,
    ...more,
  };
}
