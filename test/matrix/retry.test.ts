import { describe, expect, it } from 'vitest';
import { MatrixError, type MatrixFault } from '../../functions/matrix/client.ts';
import { withRetries } from '../../functions/matrix/retry.ts';
import type { Clock, Random } from '../../functions/runtime/clock.ts';

/** A clock whose sleeps take no time, and a call that fails as told until there is nothing left to fail with. */
function setting(...failures: (MatrixFault | Error)[]) {
  const pauses: number[] = [];
  let time = 0;
  const clock: Clock = {
    now: () => time,
    monotonic: () => time,
    async sleep(ms) {
      pauses.push(ms);
      time += ms;
    },
  };
  const random: Random = { unit: () => 0.5, id: () => '' };
  let calls = 0;
  const call = async () => {
    const failure = failures[calls++];
    if (failure instanceof Error) throw failure;
    if (failure) throw new MatrixError('call', failure);
    return `answer ${calls}`;
  };
  return { clock, random, call, pauses, calls: () => calls };
}

const limited = { kind: 'limited', status: 429, errcode: 'M_LIMIT_EXCEEDED' } as const;
const unreachable = { kind: 'unreachable' } as const;
const refused = { kind: 'refused', status: 403, errcode: 'M_FORBIDDEN' } as const;

describe('a call', () => {
  it('is repeated after longer and longer pauses', async () => {
    const { call, pauses, ...rest } = setting(...Array.from({ length: 9 }, () => unreachable));
    expect(await withRetries(call, { ...rest, tries: 10 })).toBe('answer 10');
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('waits as long as the homeserver asks, within reason', async () => {
    const asked = [1_120, 0, 3_600_000].map((retryAfterMs) => ({ ...limited, retryAfterMs }));
    const { call, pauses, ...rest } = setting(...asked, limited);
    await withRetries(call, { ...rest, tries: 5 });
    expect(pauses).toEqual([1_120, 0, 30_000, 4_000]);
  });

  it('is repeated as often as allowed, then fails as it did last', async () => {
    const { call, calls, pauses, ...rest } = setting(unreachable, limited, unreachable);
    await expect(withRetries(call, { ...rest, tries: 2 })).rejects.toMatchObject(limited);
    expect([calls(), pauses.length]).toEqual([2, 1]);
  });

  it('is not repeated when it was refused, or when the fault is ours', async () => {
    for (const final of [refused, new TypeError('ours')]) {
      const { call, calls, pauses, ...rest } = setting(unreachable, final);
      await expect(withRetries(call, { ...rest, tries: 9 })).rejects.toMatchObject(final);
      expect([calls(), pauses.length]).toEqual([2, 1]);
    }
  });

  it('is not waited for beyond the time there is', async () => {
    const { call, calls, ...rest } = setting(unreachable, unreachable, unreachable);
    await expect(withRetries(call, { ...rest, tries: 9, until: 1_500 })).rejects.toMatchObject(unreachable);
    expect([calls(), rest.clock.monotonic()]).toEqual([2, 500]);
  });

  it('is not begun again once it is given up', async () => {
    const { call, calls, clock, ...rest } = setting(unreachable, unreachable);
    const giveUp = new AbortController();
    const sleep = async () => giveUp.abort();
    const retrying = { ...rest, tries: 9, signal: giveUp.signal, clock: { ...clock, sleep } };
    await expect(withRetries(call, retrying)).rejects.toMatchObject(unreachable);
    expect(calls()).toBe(1);
    await expect(withRetries(call, retrying)).rejects.toMatchObject(unreachable);
    expect([calls(), rest.pauses]).toEqual([2, []]);
  });
});
