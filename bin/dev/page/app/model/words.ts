/** The system's terms in plain English. What has no words here is shown as it is. */
import type { ReplyView } from './reply.ts';

const REASONS: Readonly<Record<string, string>> = {
  dm: 'a direct room',
  'answer-all': 'every message is answered here',
  mentioned: 'the agent is mentioned',
  'reply-to-bot': 'it quotes the agent',
  'active-thread': 'a thread in which the agent answered',
  consent: 'a yes or no to the agent’s question',
  ignored: 'not meant for the agent',
  'group-rooms-off': 'group rooms are off',
  notice: 'an automatic message',
  tombstoned: 'the room has been replaced',
  empty: 'there are no words in it',
  stale: 'too old',
  loop: 'two bots answer each other',
  'rate-limited': 'too many turns in a short time',
  'not-allowed': 'this person is not answered',
  'power-level': 'the agent may not speak here',
};

export const reasonWords = (reason: string): string => REASONS[reason] ?? reason;

const ENDS: Readonly<Record<string, string>> = {
  stopped: 'stopped',
  merged: 'answered with the message after it',
  redacted: 'the message was redacted',
  'not-in-room': 'the agent is not in the room',
  time_limit: 'it took too long',
  attempts_exhausted: 'three attempts failed',
  model_unavailable: 'the model is not available',
  delivery_failed: 'the room could not be reached',
};

export const statusWord = ({ status, problem }: ReplyView): string =>
  problem !== undefined ? 'not followed' : status === 'unknown' ? 'connecting' : status;

/** With the reason. */
export function statusWords(view: ReplyView): string {
  const { reason, problem } = view;
  if (problem !== undefined) return problem;
  return reason === undefined ? statusWord(view) : `${statusWord(view)}: ${ENDS[reason] ?? reason}`;
}

/** The local part of a user id. */
export const nameOf = (user: string): string => /^@([^:]+):/.exec(user)?.[1] ?? user;
