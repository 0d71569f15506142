import { describe, expect, it } from 'vitest';
import { judge, type RuleInput } from '../../functions/gate/rules.ts';

/** A message that every rule would answer, in a group under `gate`. */
const everything: RuleInput = {
  policy: 'gate',
  roomKind: 'group',
  space: false,
  tombstoned: false,
  notice: false,
  mentioned: true,
  quotesBot: true,
  markedUntil: 1_001,
  root: undefined,
  activeThreadTtlMs: 60_000,
  now: 1_000,
};
const with_ = (more: Partial<RuleInput>) => judge({ ...everything, ...more });
const quiet = { mentioned: false, quotesBot: false, markedUntil: undefined };

describe('the rules', () => {
  it('say yes in their order: mentioned, reply to the bot, active thread, else ignored', () => {
    expect(with_({})).toEqual({ respond: true, reason: 'mentioned' });
    expect(with_({ mentioned: false })).toEqual({ respond: true, reason: 'reply-to-bot' });
    expect(with_({ mentioned: false, quotesBot: false })).toEqual({ respond: true, reason: 'active-thread' });
    expect(with_(quiet)).toEqual({ respond: false, reason: 'ignored' });
  });

  it('answer direct rooms under every policy, groups under `silent` never', () => {
    expect(with_({ roomKind: 'direct', ...quiet }).reason).toBe('dm');
    expect(with_({ roomKind: 'direct', policy: 'silent', ...quiet }).reason).toBe('dm');
    expect(with_({ policy: 'silent' })).toEqual({ respond: false, reason: 'group-rooms-off' });
    expect(with_({ policy: 'answer', ...quiet })).toEqual({ respond: true, reason: 'answer-all' });
  });

  it.each(['space', 'tombstoned', 'notice'] as const)('never answer: %s, whatever the policy', (what) => {
    for (const policy of ['silent', 'gate', 'answer'] as const)
      for (const roomKind of ['direct', 'group'] as const)
        expect(with_({ [what]: true, policy, roomKind })).toEqual({ respond: false, reason: what });
  });
});

describe('an active thread', () => {
  const root = { turn: 't', part: 'a#0', at: 1_000 };

  it('ends exactly at its mark', () => {
    expect(with_({ ...quiet, markedUntil: 1_001 }).reason).toBe('active-thread');
    expect(with_({ ...quiet, markedUntil: 1_000 }).reason).toBe('ignored');
  });

  it('is one whose root is an answer of the bot, younger than the TTL', () => {
    const at = (now: number, kind: 'answer' | 'notice' | 'question') =>
      with_({ ...quiet, root: { ...root, kind }, now }).reason;
    expect(at(60_999, 'answer')).toBe('active-thread');
    expect(at(61_000, 'answer')).toBe('ignored');
    expect(at(1_000, 'notice')).toBe('ignored');
    expect(at(1_000, 'question')).toBe('ignored');
  });
});
