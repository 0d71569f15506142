/** What a pump shows and when, and how a turn ends, waits and pauses by it. */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../functions/turns/cancel.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { takeOver } from '../../functions/turns/takeover.ts';
import { message, pumping, say, writesOf } from './pumping.ts';

describe('live lines', () => {
  it('go out before their commit, with the numbers a reader will find', async () => {
    const one = await pumping();
    one.rig.before('append plain', () => one.rig.clock.sleep(500));
    one.pump.emit(say('a'));
    one.pump.emit(say('b'));
    expect(one.live).toEqual([
      { seq: 1, attempt: 1, event: say('a') },
      { seq: 2, attempt: 1, event: say('b') },
    ]);
    await one.rig.clock.advance(700);
    expect(await one.rig.log(one.turn)).toEqual(one.live.map(({ seq, event }) => ({ seq, event })));
  });

  it('are the bytes that are stored', async () => {
    const one = await pumping();
    const odd = [
      { text: 'a', part: 1, type: 'text' },
      { b: 1n, type: 'data' },
      { z: undefined, a: '\ud800', type: 'data', 7: [null] },
    ] as unknown as TurnEvent[];
    for (const event of odd) one.pump.emit(event);
    await one.pump.flush();
    await one.rig.clock.advance(0);
    const shown = one.live.map(({ event }) => JSON.stringify(event));
    // An error is shown once it is stored.
    expect(shown.sort()).toEqual(
      (await one.rig.events(one.turn)).map((event) => JSON.stringify(event)).sort(),
    );
    expect(shown).toContain('{"type":"error","code":"not_json"}');
  });

  it.each(['waiting', 'error', 'done', 'turn_status'])('of type %s go out after it', async (type) => {
    const one = await pumping();
    one.rig.before('append plain', () => one.rig.clock.sleep(500));
    one.pump.emit({ type } as TurnEvent);
    await one.rig.clock.advance(499);
    expect(one.live).toEqual([]);
    await one.rig.clock.advance(2);
    expect(one.live.map(({ event }) => event.type)).toEqual([type]);
  });

  it('are withheld after 8 s without an acknowledged write, and none is made up for', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.rig.clock.advance(100);
    one.rig.away = true;
    await one.rig.clock.advance(7_800);
    expect(one.pump.mayAct()).toBe(true);
    one.pump.emit(say('b'));
    await one.rig.clock.advance(100);
    expect(one.pump.mayAct()).toBe(false);
    one.pump.emit(say('c'));
    one.rig.away = false;
    await one.rig.clock.advance(3_000);
    expect(one.pump.mayAct()).toBe(true);
    one.pump.emit(say('d'));
    expect(one.live.map(({ seq }) => seq)).toEqual([1, 2, 4]);
    await one.pump.flush();
    expect((await one.rig.events(one.turn)).map((event) => 'text' in event && event.text)).toEqual([
      'a',
      'b',
      'c',
      'd',
    ]);
  });
});

describe('the end', () => {
  it('puts FINAL first, then done and turn_status with the status', async () => {
    const one = await pumping();
    one.pump.emit(say('all'));
    await one.pump.deliver([{ type: 'step-end', last: true }]);
    expect(await one.pump.close('complete', message)).toBe('written');
    expect(writesOf(one).slice(-3)).toEqual(['final 0', 'segment 0', 'append complete 0']);
    expect(JSON.parse(one.rig.row(one.turn, 'FINAL#1')!.m as string)).toEqual(message);
    expect(one.rig.head(one.turn)).toMatchObject({ status: 'complete', shard: undefined, dueAt: undefined });
    expect((await one.rig.events(one.turn)).slice(-2)).toEqual([
      { type: 'done', message },
      { type: 'turn_status', status: 'complete' },
    ]);
    expect(one.live.map(({ event }) => event.type)).toEqual(['text', 'step-end', 'done', 'turn_status']);
    await one.rig.clock.advance(5_000);
    expect(one.rig.writes.at(-1)!.op).toBe('append complete');
  });

  it('as an error says its code', async () => {
    const one = await pumping();
    expect(await one.pump.close('error', message, 'model_unavailable')).toBe('written');
    expect(await one.rig.events(one.turn)).toEqual([
      { type: 'error', code: 'model_unavailable' },
      { type: 'turn_status', status: 'error', reason: 'model_unavailable' },
    ]);
  });

  it('does not come as complete behind a cancel: the close carries what was shown, under its numbers', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.pump.flush();
    one.pump.emit(say('b'));
    one.rig.before('segment', async () => void (await cancel(one.rig.deps, one.turn, 'stopped')));
    expect(await one.pump.close('complete', message)).toBe('cancelled');
    expect(await one.pump.close('cancelled', message, 'stopped')).toBe('written');
    expect(await one.rig.events(one.turn)).toEqual([
      say('a'),
      say('b'),
      { type: 'turn_status', status: 'cancelled', reason: 'stopped' },
    ]);
    expect(one.live.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  });

  it.each(['wait', 'deliver'] as const)(
    'is all that is left behind a cancel: %s is refused',
    async (into) => {
      const one = await pumping();
      one.pump.emit(say('a'));
      await one.pump.flush();
      await cancel(one.rig.deps, one.turn, 'stopped');
      const last: TurnEvent = { type: 'step-end' };
      const written = await (into === 'wait' ? one.pump.wait([last], 5) : one.pump.deliver([last]));
      expect(written).toBe('cancelled');
      expect(one.rig.head(one.turn)).toMatchObject({ status: 'running', phase: 'model', tail: 1 });
    },
  );

  it('of another attempt stands: nothing is written by the old one', async () => {
    const one = await pumping();
    one.pump.emit(say('a'));
    await one.pump.flush();
    one.rig.away = true;
    await one.rig.clock.advance(14_000);
    one.rig.away = false;
    const taken = await takeOver(one.rig.deps, one.turn, one.rig.head(one.turn));
    expect(taken).toMatchObject({ attempt: 2, tail: 2 });
    one.pump.emit(say('b'));
    await one.rig.clock.advance(4_000);
    expect(one.pump.signal.reason).toBe('fenced');
    expect(await one.pump.close('complete', message)).toBe('fenced');
    expect(one.rig.row(one.turn, 'FINAL#1')).toBeUndefined();
    expect(await one.rig.events(one.turn)).toEqual([say('a'), { type: 'rewind', to: 0 }]);
  });
});

describe('into waiting and out of the invocation', () => {
  it('a question gives up the lease; its line goes out behind the write', async () => {
    const one = await pumping();
    const asked: TurnEvent = {
      type: 'waiting',
      question: 'shall I?',
      choices: ['yes', 'no'],
      who: '@ana:hs',
      until: 7,
    };
    one.rig.before('append waiting', () =>
      expect(one.live.map(({ event }) => event.type)).toEqual(['step-end']),
    );
    expect(await one.pump.wait([{ type: 'step-end' }, asked], 7)).toBe('written');
    expect(one.live.map(({ event }) => event.type)).toEqual(['step-end', 'waiting']);
    expect(one.rig.head(one.turn)).toMatchObject({
      status: 'waiting',
      tail: 2,
      dueAt: 7,
      leaseEnd: undefined,
    });
    await one.rig.clock.advance(10_000);
    expect(one.rig.writes.at(-1)!.op).toBe('append waiting');
  });

  it('a delivery may be paused, and only a delivery', async () => {
    const one = await pumping();
    await one.pump.deliver([{ type: 'step-end', last: true }]);
    const { dueAt } = one.rig.head(one.turn);
    expect([one.pump.phase, one.pump.dueAt]).toEqual(['delivering', dueAt]);
    expect(await one.pump.pause()).toBe('written');
    expect(one.rig.head(one.turn)).toMatchObject({
      status: 'waiting',
      phase: 'delivering',
      dueAt,
      leaseEnd: undefined,
    });
    expect(await one.pump.pause()).toBe('fenced');

    const other = await pumping();
    expect(await other.pump.pause()).toBe('fenced');
    expect(other.rig.head(other.turn).status).toBe('running');
  });
});
