/** A turn shown live: the bytes and cursors of the log; who is too slow or misses a line goes on from the log. */
import { expect, it } from 'vitest';
import { createLive } from '../../functions/stream/live.ts';
import type { Teller } from '../../functions/stream/tell.ts';
import type { Line } from '../../functions/turns/lines.ts';
import type { LiveLine } from '../../functions/turns/pump.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { clientOf } from './out.ts';

const line = (seq: number, text = 'x'): LiveLine => ({ seq, attempt: 1, event: { type: 'text', text } });
const last = (seq: number): LiveLine => ({
  seq,
  attempt: 1,
  event: { type: 'turn_status', status: 'complete' },
});

function shown(bytesPerSecond?: number) {
  const clock = virtualClock();
  const out = clientOf(clock, bytesPerSecond);
  const told: Line[] = [];
  const teller: Teller = {
    tell(one) {
      told.push(one);
      out.write(JSON.stringify(one));
    },
    bytes: () => 0,
    end: async () => {},
  };
  const live = createLive(clock, clock.now() - 70);
  return { clock, out, told, live, attach: () => live.attach(out, teller) };
}

it('is held until there is a client, then told as it comes', async () => {
  const { live, attach, told, clock } = shown();
  live.push(line(1));
  await live.first;
  expect(told).toEqual([]);
  attach();
  await clock.advance(5);
  live.push(line(2));
  expect(told).toEqual([
    { type: 'text', text: 'x', from: 1, cursor: '1.1', _t: 70 },
    { type: 'text', text: 'x', from: 2, cursor: '1.2', _t: 75 },
  ]);
  live.push(last(3));
  expect([live.state(), live.cursor()]).toEqual(['ended', { attempt: 1, seq: 3 }]);
});

it('a line that was withheld is not covered by the next one: the client goes on from the log', async () => {
  const { live, attach, told } = shown();
  attach();
  live.push(line(1));
  live.push(line(3));
  live.push(last(4));
  await live.settled;
  expect([live.state(), live.cursor(), told.length]).toEqual(['lost', { attempt: 1, seq: 1 }, 1]);
});

it('a client that takes 1 KB a second holds nothing up, and goes on from the log', () => {
  const { live, attach, out } = shown(1_000);
  attach();
  for (let seq = 1; seq <= 1_000; seq++) live.push(line(seq, 'x'.repeat(1_000)));
  expect(live.state()).toBe('lost');
  expect(out.waiting()).toBeLessThan(300_000);
  expect(live.cursor().seq).toBeGreaterThan(200);
});
