import { localAgent } from '../../functions/agent/local.ts';
import { flowAgent } from '../model/flow/agent.ts';
import { World } from '../model/world.ts';
import { agentContract } from './agent.ts';

const words = {
  speak: 'write 20 words',
  nothing: 'write 0 words',
  ask: 'ask me first: paint it blue',
  call: { tool: 'pin_room_fact', request: 'remember that we meet at nine' },
};
agentContract('local, at full speed', (clock) => localAgent({ clock, wordDelayMs: 0 }), words);
agentContract('local, word by word', (clock) => localAgent({ clock, wordDelayMs: 40 }), words);

/** The agent of the flow's model, on the contract's own clock. */
agentContract(
  'of the flow model',
  (clock) => {
    const world = new World(1, { crash: 0, lost: 0, freeze: 0 });
    world.clock = () => clock;
    return flowAgent(world, world.process());
  },
  { speak: 'long', ask: 'ask' },
);
