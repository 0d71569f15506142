/** A start over HTTP: live lines that are the log's, the same key again, a busy conversation, quotas, and a client that leaves. */
import { describe, expect, it } from 'vitest';
import { BEN } from '../work/people.ts';
import { deskOf, turnOf } from './desk.ts';
import { clientOf } from './out.ts';

const stored = (line: Record<string, unknown>) => {
  const { _t, ...rest } = line;
  return rest;
};

describe('a start', () => {
  it('shows the turn live: the same lines that are stored, the first before anything else', async () => {
    const desk = deskOf({ wordDelayMs: 20 });
    const got = await desk.start('hello there');
    expect(got.headers).toMatchObject({ 'content-type': 'application/x-ndjson' });
    await desk.shop.clock.advance(0);
    const [start] = got.lines();
    expect(start).toMatchObject({ type: 'start', messages: [turnOf(got)], from: 1, cursor: '1.1' });
    await desk.shop.finish(got.over, 5);
    const again = await desk.whole('GET', `/turns/${turnOf(got)}/events`);
    expect(got.lines().every(({ _t }) => Number.isInteger(_t))).toBe(true);
    const live = got.lines().map(stored);
    const replayed = again.lines();
    expect(live.at(-1)).toEqual(replayed.at(-1));
    const words = (lines: Record<string, unknown>[]) =>
      lines.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('');
    expect(words(live)).toBe(words(replayed));
    expect(words(live)).toBe('@ana:hs said: hello there');
    expect(again.lines().some(({ _t }) => _t !== undefined)).toBe(false);
  });

  it('shows each word within 5 ms of the model', async () => {
    const desk = deskOf({ wordDelayMs: 50 });
    const client = clientOf(desk.shop.clock);
    const got = await desk.start('a b c d e', {}, { client });
    await desk.shop.finish(got.over, 1);
    const times = client.written.filter(({ text }) => text.includes('"text"')).map(({ at }) => at);
    const gaps = times.slice(1).map((at, n) => at - times[n]!);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(55);
  });

  it('under the same key and text follows the first, and is one turn', async () => {
    const desk = deskOf();
    const first = await desk.start('hello', { idempotencyKey: 'k' });
    await desk.shop.finish(first.over, 5);
    const second = await desk.start('hello', { idempotencyKey: 'k' });
    await desk.shop.finish(second.over, 5);
    expect(turnOf(second)).toBe(turnOf(first));
    expect(second.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
    expect((await desk.start('another', { idempotencyKey: 'k' })).json).toMatchObject({
      error: { code: 'conflict' },
    });
    const header = await desk.start('hello', {}, { headers: { 'idempotency-key': 'k' } });
    expect(turnOf(header)).toBe(turnOf(first));
  });

  it('of another person under the same names is another turn', async () => {
    const desk = deskOf();
    const ana = await desk.start('hello', { idempotencyKey: 'k' });
    const ben = await desk.start('hello', { idempotencyKey: 'k' }, { as: BEN });
    expect(turnOf(ben)).not.toBe(turnOf(ana));
    await Promise.all([desk.shop.finish(ana.over), desk.shop.finish(ben.over)]);
  });

  it('in a busy conversation is refused with the running turn’s id', async () => {
    const desk = deskOf({ wordDelayMs: 100 });
    const first = await desk.start('one two three four five six seven');
    const second = await desk.start('me too');
    expect([second.status, second.json]).toMatchObject([
      409,
      { error: { code: 'busy', turn: turnOf(first) } },
    ]);
    await desk.shop.finish(first.over);
  });

  it('interrupts the running one if it is to', async () => {
    const desk = deskOf({ wordDelayMs: 100 });
    const first = await desk.start('one two three four five six seven eight nine ten');
    const second = await desk.start('me first', { whenBusy: 'interrupt' });
    await Promise.all([desk.shop.finish(first.over), desk.shop.finish(second.over)]);
    expect(desk.shop.head(turnOf(first))).toMatchObject({ status: 'cancelled' });
    expect(desk.shop.head(turnOf(second))).toMatchObject({ status: 'complete' });
    expect(first.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'cancelled' });
  });

  it('waits for its turn in the queue if it is to, and its answer follows it', async () => {
    const desk = deskOf({ wordDelayMs: 100 });
    const first = await desk.start('one two three');
    const second = await desk.start('and then', { whenBusy: 'enqueue' });
    await desk.shop.clock.advance(20);
    expect(second.lines()).toEqual([{ type: 'queued' }]);
    await desk.shop.finish(first.over);
    await desk.shop.run();
    await desk.shop.finish(second.over);
    expect(second.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
  });

  it('goes on to its end when the client leaves', async () => {
    const desk = deskOf({ wordDelayMs: 50 });
    const client = clientOf(desk.shop.clock);
    const got = await desk.start('one two three four', {}, { client });
    await desk.shop.clock.advance(100);
    client.leave();
    await desk.shop.finish(got.over);
    expect(desk.shop.head(turnOf(got)).status).toBe('complete');
  });

  it('is not slowed by a client that takes 1 KB a second, which is told to come back', async () => {
    const desk = deskOf();
    const client = clientOf(desk.shop.clock, 1_000);
    const began = desk.shop.clock.monotonic();
    const got = await desk.start('write 300 kb', {}, { client });
    const turn = turnOf(got);
    while (desk.shop.head(turn).status === 'running') await desk.shop.clock.advance(100);
    expect(desk.shop.clock.monotonic() - began).toBeLessThan(5_000);
    await desk.shop.finish(got.over, 1_000);
    await desk.shop.clock.advance(600_000);
    const lines = got.lines();
    const bye = lines.at(-1) as { type: string; cursor: string };
    expect(bye.type).toBe('bye');
    expect(lines.filter(({ type }) => type === 'bye')).toHaveLength(1);
    const rest = await desk.whole('GET', `/turns/${turn}/events?after=${bye.cursor}`);
    expect(rest.lines()[0]).toMatchObject({ from: Number(bye.cursor.split('.')[1]) + 1 });
  });

  it('is refused beyond thirty a minute, with the seconds left; a repetition counts once', async () => {
    const desk = deskOf();
    for (let n = 0; n < 30; n++) {
      const got = await desk.start('hello', { conversation: `c${n}`, idempotencyKey: 'k' });
      expect(got.status).toBe(200);
      await desk.shop.finish(got.over, 5);
    }
    const over = await desk.start('hello', { conversation: 'more' });
    expect(over).toMatchObject({ status: 429, json: { error: { code: 'too_many' } } });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect((await desk.start('hello', { conversation: 'c3', idempotencyKey: 'k' })).status).toBe(200);
    expect((await desk.start('hello', { conversation: 'c' }, { as: BEN })).status).toBe(200);
  });
});
