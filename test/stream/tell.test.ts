/** Lines to a client: what keeps its connection alive, and what pushes out the last line. */
import { describe, expect, it } from 'vitest';
import { createTeller } from '../../functions/stream/tell.ts';
import type { Encoder } from '../../functions/turns/format.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { clientOf } from './out.ts';

const encoder: Encoder = {
  head: 'head\n',
  line: (line) => (line.type === 'step-start' ? '' : `${line.type}\n`),
  heartbeat: '.',
  end: (how) => `${how}\n`,
};
const word: Line = { type: 'text', text: 'x', from: 1, cursor: '1.1' };
const step: Line = { type: 'step-start', from: 2, cursor: '1.2' };

function told(bytesPerSecond?: number) {
  const clock = virtualClock();
  const client = clientOf(clock, bytesPerSecond);
  const teller = createTeller(clock, client, encoder);
  const times = (text: string) => client.written.filter((one) => one.text === text).map(({ at }) => at);
  const end = async (how: 'ended' | 'left' = 'ended') => {
    const ended = teller.end(how);
    await clock.advance(0);
    await ended;
  };
  return { clock, client, teller, times, end };
}

describe('a stream', () => {
  it('begins with its head and a heartbeat every 10 s while nothing is said', async () => {
    const { clock, client, times, end } = told();
    await clock.advance(35_000);
    await end('left');
    expect(client.written[0]).toEqual({ text: 'head\n', at: 0 });
    expect(times('.')).toEqual([10_000, 20_000, 30_000]);
    expect(client.text().endsWith('left\n')).toBe(true);
  });

  it('pushes the last line out when nothing follows it, and then is quiet for 10 s', async () => {
    const { clock, teller, times, end } = told();
    for (let n = 0; n < 20; n++) {
      teller.tell(word);
      await clock.advance(10);
    }
    expect(times('.')).toEqual([]);
    await clock.advance(9_000);
    expect(times('.')).toEqual([215]);
    await clock.advance(2_000);
    expect(times('.')).toEqual([215, 10_215]);
    await end();
  });

  it('tells nothing of what its format leaves out, and nothing behind its end', async () => {
    const { clock, client, teller, end } = told();
    teller.tell(step);
    await end();
    await clock.advance(60_000);
    expect(client.text()).toBe('head\nended\n');
  });

  it('adds no heartbeat to what a slow client has not taken yet', async () => {
    const { clock, teller, times, end } = told(1);
    for (let n = 0; n < 10; n++) teller.tell(word);
    await clock.advance(30_000);
    expect(times('.')).toEqual([]);
    await end();
  });

  it('writes nothing to a client that has gone', async () => {
    const { clock, client, teller, end } = told();
    client.leave();
    teller.tell(word);
    await clock.advance(20_000);
    await end();
    expect(client.written.map(({ text }) => text)).toEqual(['head\n']);
  });
});
