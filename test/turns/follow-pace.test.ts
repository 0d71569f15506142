/** What a follower tells the writer, and when it looks again: behind the next flush, else ever more seldom. */
import { describe, expect, it } from 'vitest';
import { BEGINNING } from '../../functions/turns/cursor.ts';
import { attach } from '../../functions/turns/follow.ts';
import { type Head, headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { encodeRows, toRows } from '../../functions/turns/rows.ts';
import { say } from './pumping.ts';
import { type Rig, started, turnRig } from './rig.ts';

/** A running turn that a test writes by hand, and when its follower looks at it. `travel`: how late a commit can be seen. */
async function watched({ skew = 0, travel = 0 } = {}) {
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
    commit: async (flushWindow = 100) => {
      tail++;
      const events = Array.from({ length: tail }, (_, n) => ({ seq: n + 1, event: say('x') }));
      const hot = encodeRows(toRows(events));
      const change = headChange({ tail, hot, committedAt: clock.now(), flushWindow });
      await clock.advance(travel);
      await rig.table.update({ op: 'commit', key: keys.head(turn), ...change });
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

  it.each([0, 7, 12])('learns when a commit can be seen, %i ms behind it', async (travel) => {
    const one = await watched({ travel });
    const commits: number[] = [];
    for (let n = 0; n < 60; n++) {
      commits.push(one.rig.clock.monotonic());
      await one.commit();
      await one.rig.clock.advance(100 - travel);
    }
    const later = commits.slice(20, -1);
    const delays = later.map((at) => one.looks.find((look) => look >= at + travel)! - at - travel);
    const looks = one.looks.filter((look) => look >= later[0]!).length;
    expect(delays.reduce((sum, delay) => sum + delay, 0) / delays.length).toBeLessThan(6);
    expect(Math.max(...delays)).toBeLessThan(20);
    // Few looks are too early, and none is wasted in between.
    expect(looks).toBeLessThan(later.length * 1.3);
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
    expect(one.looks[0]).toBeGreaterThanOrEqual(250);
    expect(one.looks[0]).toBeLessThanOrEqual(265);
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
