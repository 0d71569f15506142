/** What a follower tells the writer, and when it looks again: behind the next flush, else ever more seldom. */
import { describe, expect, it } from 'vitest';
import { BEGINNING } from '../../functions/turns/cursor.ts';
import { attach } from '../../functions/turns/follow.ts';
import { type Head, headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { encodeRows, toRows } from '../../functions/turns/rows.ts';
import { say } from './pumping.ts';
import { type Rig, started, turnRig } from './rig.ts';

/** A running turn that a test writes by hand, and when its follower looks at it. */
async function watched({ skew = 0 } = {}) {
  const rig = turnRig();
  const { turn } = await started(rig, 'T');
  const looks: number[] = [];
  const nudged: string[] = [];
  const { clock } = rig;
  const table: Rig['table'] = {
    ...rig.table,
    get: (key) => {
      looks.push(clock.monotonic());
      return rig.table.get(key);
    },
  };
  const nudge = async (id: string) => void nudged.push(id);
  const deps = { ...rig.deps, table, nudge, clock: { ...clock, now: () => clock.now() + skew } };
  const gone = new AbortController();
  const attached = await attach(deps, turn, { after: BEGINNING, until: 1e9, signal: gone.signal });
  if (attached.kind !== 'following') throw new Error(attached.kind);
  const lines = attached.lines;
  const following = (async () => {
    for await (const _ of lines);
  })();
  let tail = 0;
  return {
    rig,
    turn,
    looks,
    nudged,
    /** A commit of one more word, on the writer's clock. */
    commit: (flushWindow = 100) => {
      tail++;
      const events = Array.from({ length: tail }, (_, n) => ({ seq: n + 1, event: say('x') }));
      const hot = encodeRows(toRows(events));
      const change = headChange({ tail, hot, committedAt: clock.now(), flushWindow });
      return rig.table.update({ op: 'commit', key: keys.head(turn), ...change });
    },
    change: (next: Partial<Head>) =>
      rig.table.update({ op: 'change', key: keys.head(turn), ...headChange(next) }),
    stop: async () => {
      gone.abort();
      await clock.advance(0);
      await following;
    },
  };
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - times[index]!);

describe('the pace', () => {
  it('without news goes from 15 over 50 and 100 to 250 ms', async () => {
    const one = await watched();
    await one.rig.clock.advance(1_000);
    expect(gaps(one.looks)).toEqual([15, 50, 100, 250, 250, 250]);
    await one.stop();
  });

  it('behind a commit looks when the next one is due, with 0–10 ms of jitter', async () => {
    const one = await watched();
    await one.commit();
    await one.rig.clock.advance(20);
    one.looks.length = 0;
    // The first hit came 15 ms behind its commit: that far behind each.
    for (let n = 0; n < 5; n++) {
      await one.rig.clock.advance(100 - (n === 0 ? 20 : 0));
      await one.commit();
    }
    await one.rig.clock.advance(50);
    const phases = one.looks.map((time) => time % 100);
    expect(Math.min(...phases)).toBeGreaterThanOrEqual(15);
    expect(Math.max(...phases)).toBeLessThanOrEqual(26);
    expect(one.looks.length).toBeLessThanOrEqual(7);
    await one.stop();
  });

  it.each([-3_600_000, 5_000])(
    'does not compare two clocks: %i ms between them change nothing',
    async (skew) => {
      const looks = async (of: number) => {
        const one = await watched({ skew: of });
        await one.change({ leaseEnd: one.rig.clock.now() + 1e8 });
        for (let n = 0; n < 4; n++) {
          await one.commit();
          await one.rig.clock.advance(100);
        }
        await one.stop();
        return one.looks;
      };
      expect(await looks(skew)).toEqual(await looks(0));
    },
  );

  it('keeps the writer’s own window', async () => {
    const one = await watched();
    await one.commit(250);
    await one.rig.clock.advance(20);
    one.looks.length = 0;
    await one.rig.clock.advance(400);
    expect(one.looks[0]).toBeGreaterThanOrEqual(265);
    expect(one.looks[0]).toBeLessThanOrEqual(276);
    await one.stop();
  });
});

describe('the hints', () => {
  const watchWrites = ({ rig }: { rig: Rig }) =>
    rig.writes.filter(({ op }) => op === 'watch').map(({ at }) => at);

  it('say that somebody watches, again when less than 5 s are left', async () => {
    const one = await watched();
    await one.change({ leaseEnd: one.rig.clock.now() + 1e8 });
    await one.rig.clock.advance(0);
    expect(one.rig.head(one.turn).watchedUntil).toBe(one.rig.clock.now() / 1_000 + 15);
    await one.rig.clock.advance(30_000);
    expect(gaps(watchWrites(one)).every((ms) => ms > 9_700 && ms < 11_500)).toBe(true);
    expect(watchWrites(one).length).toBe(3);
    await one.stop();
  });

  it('nudge once an attempt, when the lease is over by 2 s', async () => {
    const one = await watched();
    const end = one.rig.head(one.turn).leaseEnd! - one.rig.clock.now();
    await one.rig.clock.advance(end + 1_900);
    expect(one.nudged).toEqual([]);
    await one.rig.clock.advance(600);
    expect(one.nudged).toEqual([one.turn]);
    expect(one.rig.head(one.turn).nudged).toBe(1);
    await one.rig.clock.advance(20_000);
    expect(one.nudged).toHaveLength(1);
    await one.change({ attempt: 2 });
    await one.rig.clock.advance(600);
    expect(one.nudged).toHaveLength(2);
    await one.stop();
  });

  it('are no writes to a turn that does not run', async () => {
    const one = await watched();
    await one.rig.clock.advance(0);
    await one.change({ status: 'waiting' });
    one.rig.writes.length = 0;
    await one.rig.clock.advance(40_000);
    expect(one.rig.writes).toEqual([]);
    await one.stop();
  });
});
