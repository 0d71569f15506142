/** What `sweep` does with a dead letter, by its kind: a turn is closed, a deferred event is given up, the rest is counted. */
import type { HandleDeps, WorkMessage } from './handle.ts';
import { done, type Handled, type Invocation } from './ports.ts';
import { buryTurn } from './sweep.ts';

export async function bury(deps: HandleDeps, message: WorkMessage, invocation: Invocation): Promise<Handled> {
  switch (message.kind) {
    case 'turn':
      return buryTurn(deps, message.turn, invocation);
    case 'decide': {
      const late = await deps.giveUpLate(message.room, message.event);
      return late.kind === 'turn' ? buryTurn(deps, late.turn, invocation) : done;
    }
    case 'join':
    case 'notice':
      deps.count(`Dead_${message.kind}`);
      return done;
  }
}
