/** The pump, ms by ms: when it writes and when it beats, what a store that is away does to it, and how much may wait. */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../functions/turns/cancel.ts';
import { headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import { PATIENCE_MS, pumping, say, writesOf } from './pumping.ts';

describe('a flush', () => {
  it('comes at once for the first event, then with the window, never only with the next event', async () => {
    const one = await pumping();
    for (const at of [0, 10, 20, 130]) {
      await one.rig.clock.advance(at - one.at());
      one.pump.emit(say('x'));
    }
    await one.rig.clock.advance(300);
    expect(writesOf(one)).toEqual(['append plain 0', 'append plain 100', 'append plain 200']);
    expect(one.rig.head(one.turn).tail).toBe(4);
  });

  it('is at once again for the first event behind a pause', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.rig.clock.advance(700);
    one.pump.emit(say('b'));
    await one.rig.clock.advance(0);
    expect(writesOf(one)).toEqual(['append plain 0', 'append plain 700']);
  });

  it('waits 250 ms if nobody watches and the turn came from no queue, 100 ms while somebody does', async () => {
    const one = await pumping({ queued: false });
    one.pump.emit(say('a'));
    await one.rig.clock.advance(1);
    one.pump.emit(say('b'));
    await one.rig.clock.advance(300);
    expect(writesOf(one)).toEqual(['append plain 0', 'append plain 250']);
    expect(one.rig.head(one.turn).flushWindow).toBe(250);
    const watched = headChange({ watchedUntil: one.rig.clock.now() / 1_000 + 15 });
    await one.rig.table.update({ op: 'watch', key: keys.head(one.turn), ...watched });
    // It learns of that by its next write.
    one.pump.emit(say('c'));
    await one.rig.clock.advance(200);
    one.pump.emit(say('d'));
    await one.rig.clock.advance(100);
    expect(writesOf(one).slice(-2)).toEqual(['append plain 500', 'append plain 600']);
    expect(one.rig.head(one.turn).flushWindow).toBe(100);
  });

  it('is one write for all that is pending, and none for nothing', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    one.pump.emit(say('b'));
    expect(await one.pump.flush()).toBe('written');
    expect(await one.pump.flush()).toBe('written');
    expect(writesOf(one)).toEqual(['append plain 0']);
  });

  it('goes alone: what comes while it is under way is the next batch', async () => {
    const one = await pumping();
    one.rig.before('append plain', () => one.rig.clock.sleep(400));
    one.pump.emit(say('a'));
    await one.rig.clock.advance(50);
    one.pump.emit(say('b'));
    const flushed = one.pump.flush();
    await one.rig.clock.advance(400);
    expect(await flushed).toBe('written');
    expect(writesOf(one)).toEqual(['append plain 400', 'append plain 400']);
    const [first] = (await one.rig.log(one.turn))!;
    expect(first!.event).toEqual(say('a'));
  });

  it('spills what is over 520 bytes into segments before HEAD lets go of it', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.rig.clock.advance(0);
    one.pump.emit({ type: 'data', fill: 'x'.repeat(600) });
    await one.pump.flush();
    expect(writesOf(one)).toEqual(['append plain 0', 'segment 0', 'append plain 0']);
    expect(one.rig.head(one.turn)).toMatchObject({ tail: 2, base: 2, hot: '[]' });
    expect(one.rig.row(one.turn, 'S#0000000002#1')).toMatchObject({ v: 1, n: 2, f: 1 });
    expect(await one.rig.events(one.turn)).toEqual([say('a'), { type: 'data', fill: 'x'.repeat(600) }]);
  });

  it('cuts what it spills into rows of 300 KB, between events', async () => {
    const one = await pumping();
    for (let n = 0; n < 4; n++) one.pump.emit({ type: 'data', n, fill: 'x'.repeat(140_000) });
    await one.pump.flush();
    expect(writesOf(one)).toEqual(['segment 0', 'segment 0', 'append plain 0']);
    expect((await one.rig.log(one.turn))!.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });
});

describe('a beat', () => {
  it('renews the lease after 1.5 s in which nothing was written', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.rig.clock.advance(3_600);
    expect(writesOf(one)).toEqual(['append plain 0', 'beat 1500', 'beat 3000']);
    expect(one.rig.head(one.turn).leaseEnd).toBe(one.rig.clock.now() - 600 + 10_000);
  });

  it('is never beside an append', async () => {
    const one = await pumping();
    one.rig.before('append plain', () => one.rig.clock.sleep(4_000));
    one.pump.emit(say('a'));
    await one.rig.clock.advance(5_600);
    expect(writesOf(one)).toEqual(['append plain 4000', 'beat 5500']);
  });

  it('learns of a cancel within two seconds', async () => {
    const one = await pumping();
    await one.rig.clock.advance(1_600);
    await cancel(one.rig.deps, one.turn, 'stopped');
    expect(one.pump.signal.aborted).toBe(false);
    await one.rig.clock.advance(1_500);
    expect(one.pump.signal.reason).toBe('cancelled');
    expect(one.pump.mayAct()).toBe(false);
    expect(await one.pump.flush()).toBe('cancelled');
  });

  it('that is refused fences', async () => {
    const one = await pumping();
    await one.rig.table.update({ op: 'steal', key: keys.head(one.turn), set: { a: 2 } });
    await one.rig.clock.advance(1_500);
    expect(one.pump.signal.reason).toBe('fenced');
    one.pump.emit(say('late'));
    expect(await one.pump.flush()).toBe('fenced');
    expect(one.live).toEqual([]);
    expect(one.rig.head(one.turn).tail).toBe(0);
  });
});

describe('a store that is away', () => {
  it('is asked the same again until it answers', async () => {
    const one = await pumping();
    one.rig.away = true;
    one.pump.emit(say('a'));
    await one.rig.clock.advance(20_000);
    expect(writesOf(one)).toEqual([]);
    one.rig.away = false;
    await one.rig.clock.advance(4_000);
    expect(one.rig.writes.filter(({ op }) => op === 'append plain')).toHaveLength(1);
    expect(one.rig.head(one.turn).tail).toBe(1);
  });

  it('beyond all patience ends the attempt as a takeover would', async () => {
    const one = await pumping();
    one.rig.away = true;
    one.pump.emit(say('a'));
    await one.rig.clock.advance(PATIENCE_MS + 10_000);
    expect(one.pump.signal.reason).toBe('fenced');
  });
});

describe('1 MB that waits', () => {
  it('stops generation until it is written', async () => {
    const one = await pumping();
    one.rig.away = true;
    const fill = () => one.pump.emit({ type: 'data', fill: 'x'.repeat(290_000) });
    fill();
    await one.rig.clock.advance(0);
    for (let n = 0; n < 3; n++) fill();
    let free = false;
    const asked = one.pump.room().then(() => {
      free = true;
    });
    await one.rig.clock.advance(0);
    expect(free).toBe(true);
    free = false;
    fill();
    const again = one.pump.room().then(() => {
      free = true;
    });
    await one.rig.clock.advance(5_000);
    expect(free).toBe(false);
    one.rig.away = false;
    await one.rig.clock.advance(5_000);
    await Promise.all([asked, again]);
    expect(one.rig.head(one.turn).tail).toBe(5);
  });
});

describe('stop', () => {
  it('leaves nothing running', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.pump.stop();
    expect(one.rig.clock.sleepers()).toBe(0);
  });
});
