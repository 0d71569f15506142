/**
 * The rules of the gate, pure: from what is known of a message and its room to a yes or a no and its reason. What costs
 * a write (the limits) is asked afterwards, and only of a yes.
 */
import type { Policy } from './options.ts';
import type { Own } from './own.ts';

export type Yes = 'dm' | 'answer-all' | 'mentioned' | 'reply-to-bot' | 'active-thread';
export type No =
  | 'group-rooms-off'
  | 'ignored'
  | 'notice'
  | 'space'
  | 'tombstoned'
  | 'not-in-room'
  | 'empty'
  | 'stale'
  | 'peer'
  | 'not-allowed'
  | 'loop'
  | 'rate-limited'
  | 'power-level';

export type Rule =
  | { readonly respond: true; readonly reason: Yes }
  | { readonly respond: false; readonly reason: No };

const yes = (reason: Yes): Rule => ({ respond: true, reason });
const no = (reason: No): Rule => ({ respond: false, reason });

export type RuleInput = {
  readonly policy: Policy;
  readonly roomKind: 'direct' | 'group';
  readonly space: boolean;
  readonly tombstoned: boolean;
  /** An automatic message: kept, never answered. */
  readonly notice: boolean;
  readonly mentioned: boolean;
  /** A real quote of an event that the bot sent. */
  readonly quotesBot: boolean;
  /** Until when the thread is marked as answered in, and the event of ours that is its root. */
  readonly markedUntil: number | undefined;
  readonly root: Own | undefined;
  readonly activeThreadTtlMs: number;
  readonly now: number;
};

export function judge(message: RuleInput): Rule {
  if (message.space) return no('space');
  if (message.tombstoned) return no('tombstoned');
  if (message.notice) return no('notice');
  if (message.policy === 'answer') return yes('answer-all');
  if (message.roomKind === 'direct') return yes('dm');
  if (message.policy === 'silent') return no('group-rooms-off');
  if (message.mentioned) return yes('mentioned');
  if (message.quotesBot) return yes('reply-to-bot');
  return isActive(message) ? yes('active-thread') : no('ignored');
}

/** Exactly at its time a mark no longer counts. Notices and questions keep no thread alive. */
function isActive({ markedUntil, root, activeThreadTtlMs, now }: RuleInput): boolean {
  if (markedUntil !== undefined && markedUntil > now) return true;
  return root?.kind === 'answer' && root.at + activeThreadTtlMs > now;
}
