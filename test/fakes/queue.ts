/**
 * The workers' queues over the queues of the models. `through` stands around every send, so that a test can delay, lose
 * or break it.
 */
import type { WorkQueue } from '../../functions/adapters/lambda/compose.ts';
import { type Envelope, messages } from '../../functions/adapters/sqs/messages.ts';
import type { Queues } from '../model/queues.ts';

export type SendThrough = (effect: () => void) => Promise<void>;

const direct: SendThrough = async (effect) => effect();

/** SQS delays a message by at most this, s. */
const MAX_DELAY_S = 900;

export function queueOver(queues: Queues<string>, through: SendThrough = direct): WorkQueue {
  const send = ({ body, group, deduplication }: Envelope) =>
    through(() => queues.send('turns', group, body, deduplication));
  return {
    send: (turn, conversation, deduplication) => send(messages.turn(turn, conversation, deduplication)),
    watch: (turn, delaySeconds) => {
      const { body } = messages.turn(turn, '', '');
      const delayMs = Math.min(MAX_DELAY_S, delaySeconds) * 1_000;
      return through(() => queues.send('watchdog', '', body, undefined, delayMs));
    },
    decide: (room, event, round) => send(messages.decide(room, event, round)),
    join: (join) => send(messages.join(join)),
    notice: (room, event, notice) => send(messages.notice(room, event, notice)),
  };
}
