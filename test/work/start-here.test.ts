/** A turn that a client starts and that runs here: its order of writes, the same key again, a busy conversation. */
import { describe, expect, it } from 'vitest';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { httpTurnId } from '../../functions/turns/ids.ts';
import { keys } from '../../functions/turns/keys.ts';
import { getMeta, type Meta } from '../../functions/turns/meta.ts';
import type { LiveLine } from '../../functions/turns/pump.ts';
import { redactTurn } from '../../functions/turns/redact.ts';
import { takeRun } from '../../functions/turns/run.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { startHere, type WhenBusy } from '../../functions/work/start-here.ts';
import { Shop } from './shop.ts';

const CONVERSATION = 'http-conversation';

function client(shop = new Shop()) {
  const lines: LiveLine[] = [];
  const turnOf = (key: string) => httpTurnId('hs', '@ana:hs', CONVERSATION, key);
  const metaOf = (text: string): Meta => ({
    tenant: 'hs',
    principal: '@ana:hs',
    conversation: CONVERSATION,
    order: `${shop.clock.now()}000`,
    source: { kind: 'http' },
    input: text,
    created: shop.clock.now(),
    expires: Math.floor(shop.clock.now() / 1_000) + 1e6,
  });
  const start = (key: string, text: string, whenBusy: WhenBusy = 'reject') =>
    startHere(shop.work, {
      turn: turnOf(key),
      meta: metaOf(text),
      whenBusy,
      invocation: shop.invocation(),
      live: (line) => lines.push(line),
    });
  return {
    shop,
    lines,
    turnOf,
    metaOf,
    start,
    started: (...given: Parameters<typeof start>) => shop.finish(start(...given)),
  };
}

describe('a start', () => {
  it('runs here, live, to its end: the first line is the start event', async () => {
    const { shop, lines, turnOf, started } = client();
    expect(await started('a', 'hello')).toEqual({ kind: 'ran' });
    const turn = turnOf('a');
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
    expect(lines[0]).toEqual({ seq: 1, attempt: 1, event: { type: 'start', messages: [turn] } });
    expect(lines.at(-1)!.event).toEqual({ type: 'turn_status', status: 'complete' });
    expect(lines.map(({ event }) => JSON.stringify(event))).toEqual(
      (await shop.events(turn)).map((event) => JSON.stringify(event)),
    );
    expect(shop.posts()).toEqual([]);
  });

  it('sends its watchdog first, then META, RUN, HEAD', async () => {
    const { shop, started, turnOf } = client();
    shop.before('meta', () => expect(shop.queues.watchdog).toHaveLength(1));
    await started('a', 'hello');
    const writes = shop.calls
      .map(({ name }) => name)
      .filter((name) => ['meta', 'run', 'head running'].includes(name));
    expect(writes).toEqual(['meta', 'run', 'head running']);
    const [watchdog] = shop.queues.watchdog;
    expect(watchdog!.body).toContain(turnOf('a'));
    expect(watchdog!.visibleAt - watchdog!.sentAt).toBe(15_000);
  });

  it('that is held up sends its watchdog again before HEAD', async () => {
    const { shop, started } = client();
    shop.before('run', () => shop.clock.sleep(31_000));
    await started('a', 'hello');
    expect(shop.queues.watchdog).toHaveLength(2);
  });

  it('is answered from the conversation’s history', async () => {
    const { shop, turnOf, started } = client();
    await started('a', 'hello');
    await started('b', 'again');
    expect(await shop.text(turnOf('b'))).toBe('@ana:hs said (2 earlier messages): again');
  });
});

describe('the same key', () => {
  it('follows the first, whether it runs or is over', async () => {
    const { shop, turnOf, start, started } = client();
    const first = start('a', 'count to 5');
    await shop.clock.advance(1_000);
    expect(await started('a', 'count to 5')).toEqual({ kind: 'follow' });
    expect(await shop.finish(first)).toEqual({ kind: 'ran' });
    expect(await started('a', 'count to 5')).toEqual({ kind: 'follow' });
    expect(shop.head(turnOf('a')).attempt).toBe(1);
  });

  it('with other words is a conflict', async () => {
    const { started } = client();
    await started('a', 'hello');
    expect(await started('a', 'other')).toEqual({ kind: 'conflict' });
  });

  it('of a forgotten turn follows it, whatever the words', async () => {
    const { shop, turnOf, metaOf, started } = client();
    await started('a', 'hello');
    await redactTurn(shop.work, turnOf('a'), metaOf('hello'));
    expect((await getMeta(shop.work.table, turnOf('a')))!.input).toBeUndefined();
    expect(await started('a', 'other')).toEqual({ kind: 'follow' });
  });

  it('goes on where the first died between META and HEAD', async () => {
    const { shop, turnOf, metaOf, start, started } = client();
    shop.before('run', () => new Promise<void>(() => undefined));
    start('a', 'hello').catch(() => undefined);
    await shop.clock.advance(100);
    expect(shop.turns.get(keys.head(turnOf('a')))).toBeUndefined();
    expect(await started('a', 'hello')).toEqual({ kind: 'ran' });
    expect(metaOf('hello').input).toBe('hello');
  });

  it('at once starts one turn', async () => {
    const { shop, turnOf, start } = client();
    const both = await shop.finish(Promise.all([start('a', 'hello'), start('a', 'hello')]));
    expect(both.map(({ kind }) => kind).sort()).toEqual(['follow', 'ran']);
    expect(shop.head(turnOf('a')).status).toBe('complete');
  });
});

describe('a busy conversation', () => {
  async function busy(whenBusy: WhenBusy, words = 'count to 30') {
    const one = client();
    const first = one.start('a', words);
    await one.shop.clock.advance(2_000);
    return { ...one, first, second: one.start('b', 'next', whenBusy) };
  }

  it('is refused, with the turn that runs', async () => {
    const { shop, turnOf, second } = await busy('reject');
    expect(await shop.finish(second)).toEqual({ kind: 'busy', turn: turnOf('a') });
    expect(shop.turns.get(keys.head(turnOf('b')))).toBeUndefined();
  });

  it('whose owner seems dead sends for a worker', async () => {
    const { shop, turnOf, start, started } = client();
    start('a', 'count to 30').catch(() => undefined);
    await shop.clock.advance(2_000);
    const never = () => new Promise<void>(() => undefined);
    for (const op of ['append plain', 'beat']) shop.before(op, never);
    await shop.clock.advance(14_000);
    shop.queues.watchdog.length = 0;
    expect(await started('b', 'next')).toEqual({ kind: 'busy', turn: turnOf('a') });
    expect(shop.queues.watchdog.map(({ body }) => body)).toContainEqual(expect.stringContaining(turnOf('a')));
    expect(shop.head(turnOf('a')).nudged).toBe(1);
  });

  it('is waited for in the queue', async () => {
    const { shop, turnOf, first, second } = await busy('enqueue');
    expect(await shop.finish(second)).toEqual({ kind: 'follow' });
    expect(shop.head(turnOf('b'))).toMatchObject({ status: 'queued', dueAt: expect.any(Number) });
    await shop.finish(first);
    await shop.run();
    expect(await shop.text(turnOf('b'))).toContain('next');
  });

  it('is interrupted: the first is cancelled, then the second runs', async () => {
    const { shop, turnOf, first, second } = await busy('interrupt');
    expect(await shop.finish(second)).toEqual({ kind: 'ran' });
    expect(await shop.finish(first)).toEqual({ kind: 'ran' });
    expect(shop.head(turnOf('a'))).toMatchObject({ status: 'cancelled' });
    expect(shop.head(turnOf('b')).status).toBe('complete');
  });

  it('is not interrupted in its delivery', async () => {
    const { shop, turnOf, start } = client();
    shop.before('said', () => shop.clock.sleep(4_000));
    const first = start('a', 'hello');
    await shop.clock.advance(1_000);
    expect(shop.head(turnOf('a')).phase).toBe('delivering');
    expect(await shop.finish(start('b', 'next', 'interrupt'))).toEqual({
      kind: 'too late',
      turn: turnOf('a'),
    });
    await shop.finish(first);
    expect(shop.head(turnOf('a')).status).toBe('complete');
  });

  it('whose turn does not end within five seconds stays busy', async () => {
    const { shop, turnOf, start } = client();
    shop.agent = {
      // It does not listen, and its pump can’t write.
      async *run(): AsyncGenerator<TurnEvent> {
        yield { type: 'text', text: 'a' };
        await shop.clock.sleep(60_000);
      },
    };
    const first = start('a', 'hello');
    await shop.clock.advance(1_000);
    for (const op of ['beat', 'final']) shop.before(op, () => shop.clock.sleep(9_000));
    const begun = shop.clock.monotonic();
    expect(await shop.finish(start('b', 'next', 'interrupt'))).toEqual({ kind: 'busy', turn: turnOf('a') });
    expect(shop.clock.monotonic() - begun).toBeLessThan(6_000);
    await shop.finish(first);
  });

  it('of a queued turn is interrupted by closing that', async () => {
    const { shop, turnOf, metaOf, started } = client();
    await createQueued(shop.work.table, turnOf('a'), metaOf('first'));
    await takeRun(shop.work, CONVERSATION, turnOf('a'));
    expect(await started('b', 'next', 'interrupt')).toEqual({ kind: 'ran' });
    expect(shop.head(turnOf('a'))).toMatchObject({ status: 'cancelled', reason: 'interrupted' });
  });
});

describe('the client', () => {
  it('that dies with its invocation leaves a turn that the watchdog takes over', async () => {
    const { shop, turnOf, start } = client();
    const first = start('a', 'count to 5');
    await shop.clock.advance(2_000);
    const never = () => new Promise<void>(() => undefined);
    for (const op of ['append plain', 'beat']) shop.before(op, never);
    await shop.clock.advance(16_000);
    await shop.run('watchdog');
    expect(shop.head(turnOf('a'))).toMatchObject({ status: 'complete', attempt: 2 });
    expect(await shop.text(turnOf('a'))).toBe('1, 2, 3, 4, 5.');
    first.catch(() => undefined);
  });
});
