import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { countPace, type Pace, paceOf, replied, step } from '../../functions/gate/pace.ts';
import { memoryTable } from '../fakes/table.ts';

const ROOM = '!room:hs';
const MINUTE = 60_000;

/** A room in which somebody says something some time after our last reply, and we reply at once to what is accepted. */
function conversation() {
  const table = memoryTable();
  let now = 1_000_000;
  let events = 0;
  const stored = async () => paceOf(await table.get(keys.pace(ROOM)));
  const says = async (sender: string, after: number): Promise<'accepted' | 'refused'> => {
    now += after;
    const event = `$${events++}`;
    const before = await stored();
    const { loop, next } = step(before, sender, event, now);
    if (next !== before) await countPace(table, ROOM, before, next, now);
    if (!loop) await replied(table, ROOM, [event], now);
    return loop ? 'refused' : 'accepted';
  };
  const burst = async (sender: string, messages: number, after = 10_000) => {
    const outcomes: string[] = [];
    for (let n = 0; n < messages; n++) outcomes.push(await says(sender, after));
    return outcomes;
  };
  return { table, stored, says, burst };
}
/** The first message of a burst follows no reply; twelve more that do are accepted. */
const accepted = Array.from({ length: 13 }, () => 'accepted');

describe('a loop', () => {
  it('is broken behind twelve messages that each came within 10 s of our reply', async () => {
    const { burst } = conversation();
    expect(await burst('@loop:hs', 14)).toEqual([...accepted, 'refused']);
  });

  it('is not counted by messages between 10 s and a minute, nor ended by them', async () => {
    const room = conversation();
    expect(await room.burst('@loop:hs', 30, 10_001)).not.toContain('refused');
    await room.burst('@loop:hs', 11);
    expect(await room.burst('@loop:hs', 5, MINUTE)).not.toContain('refused');
    expect(await room.burst('@loop:hs', 2)).toEqual(['accepted', 'refused']);
  });

  it('is over with a message that comes later than a minute', async () => {
    const { burst, says } = conversation();
    await burst('@loop:hs', 13);
    expect(await says('@loop:hs', MINUTE + 1)).toBe('accepted');
    expect(await burst('@loop:hs', 13)).toEqual([...accepted.slice(1), 'refused']);
  });

  it('is over with somebody else’s accepted message', async () => {
    const { burst, says } = conversation();
    await burst('@loop:hs', 13);
    expect(await says('@ana:hs', 1)).toBe('accepted');
    expect(await burst('@loop:hs', 14)).toEqual([...accepted, 'refused']);
  });

  it('pauses for 2 min, then doubles up to a day', async () => {
    const { burst, says, stored } = conversation();
    const pauses: number[] = [];
    for (let round = 0; round < 12; round++) {
      await burst('@loop:hs', 14, 1);
      const { until, last } = (await stored())!;
      expect(await says('@loop:hs', 0), `round ${round}`).toBe('refused');
      // What is refused within the pause does not prolong it.
      expect((await stored())!).toMatchObject({ until, last });
      let minutes = 1;
      while ((await says('@loop:hs', MINUTE)) === 'refused') minutes++;
      pauses.push(minutes);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440]);
  });
});

describe('the row', () => {
  const pace = (last: string): Pace => ({ sender: '@ana:hs', count: 3, last, pause: 120_000 });

  it('counts an event once, and not over another run’s', async () => {
    const { table, stored } = conversation();
    await countPace(table, ROOM, undefined, pace('$a'), 1);
    await countPace(table, ROOM, pace('$a'), pace('$b'), 2);
    // A run that saw an older row comes too late.
    await countPace(table, ROOM, pace('$a'), pace('$c'), 3);
    await countPace(table, ROOM, undefined, pace('$d'), 3);
    expect((await stored())?.last).toBe('$b');
  });

  it('keeps our first reply to the last event that was counted', async () => {
    const { table, stored } = conversation();
    await replied(table, ROOM, ['$a'], 5);
    expect(await stored()).toBeUndefined();
    await countPace(table, ROOM, undefined, pace('$a'), 1);
    await replied(table, ROOM, ['$other'], 5);
    expect((await stored())?.repliedAt).toBeUndefined();
    await replied(table, ROOM, ['$x', '$a'], 6);
    await replied(table, ROOM, ['$a'], 7);
    expect((await stored())?.repliedAt).toBe(6);
  });
});
