/** The contract of the workers' queue, run on every implementation of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkQueue } from '../../functions/adapters/lambda/compose.ts';
import { parseMessage } from '../../functions/adapters/sqs/messages.ts';
import type { Notice } from '../../functions/gate/decide.ts';

export type QueueName = 'turns' | 'watchdog';

export type QueueUnderTest = {
  readonly queue: WorkQueue;
  /** Receives one message, which nobody else sees until it is removed; undefined: there is none to see. */
  take(from: QueueName): Promise<{ readonly body: string; remove(): Promise<void> } | undefined>;
  advance(seconds: number): void;
  stop(): Promise<void>;
};

/** Ids as anybody may make them: what JSON escapes, what SQS refuses, and as long as Matrix allows. */
const ODD = ['\ufffe', '\uffff', '\ud800', '\u0000', '\u007f', '"\\\n', '😀', 'x'.repeat(250)];

const conversation = 'c'.repeat(22);
const turn = (n: number) => `turn-${n}`.padEnd(22, 'x');

export function queueContract(name: string, make: () => Promise<QueueUnderTest>): void {
  describe(`queue: ${name}`, () => {
    let under: QueueUnderTest;
    let queue: WorkQueue;
    beforeEach(async () => {
      under = await make();
      queue = under.queue;
    });
    afterEach(() => under.stop());

    /** Everything that is there to see, in order; it is removed. */
    async function drain(from: QueueName = 'turns'): Promise<unknown[]> {
      const seen: unknown[] = [];
      for (let one = await under.take(from); one; one = await under.take(from)) {
        seen.push(parseMessage(one.body));
        await one.remove();
      }
      return seen;
    }
    const turns = async (from: QueueName = 'turns') =>
      (await drain(from)).map((message) => (message as { turn: string }).turn);
    const send = (n: number, group = conversation, id = `${turn(n)}.run.1`) => queue.send(turn(n), group, id);

    it('keeps a conversation in order', async () => {
      for (const n of [3, 1, 2]) await send(n);
      expect(await turns()).toEqual([turn(3), turn(1), turn(2)]);
    });

    it('shows one message of a conversation at a time, beside those of others', async () => {
      await send(1);
      await send(2);
      await send(3, 'another conversation’s'.replace(/\W/g, '-'));
      const first = await under.take('turns');
      const other = await under.take('turns');
      expect([first, other].map((one) => parseMessage(one!.body))).toEqual([
        { kind: 'turn', turn: turn(1) },
        { kind: 'turn', turn: turn(3) },
      ]);
      expect(await under.take('turns')).toBeUndefined();
      await first!.remove();
      expect(await turns()).toEqual([turn(2)]);
    });

    it('takes a repetition under the same id within five minutes as one message', async () => {
      await send(1);
      await send(1);
      expect(await turns()).toEqual([turn(1)]);
      under.advance(290);
      await send(1);
      expect(await turns()).toEqual([]);
      under.advance(20);
      await send(1);
      expect(await turns()).toEqual([turn(1)]);
    });

    it('takes another id for another message, and the same id in another conversation', async () => {
      await send(1);
      await send(1, conversation, `${turn(1)}.consent.4`);
      await send(1, 'another');
      expect(await turns()).toEqual([turn(1), turn(1), turn(1)]);
    });

    it('watches apart from the turns, after the delay, as often as it is asked', async () => {
      await queue.watch(turn(1), 15);
      await queue.watch(turn(1), 15);
      await queue.watch(turn(2), 0);
      expect(await drain('turns')).toEqual([]);
      expect(await turns('watchdog')).toEqual([turn(2)]);
      under.advance(14);
      expect(await turns('watchdog')).toEqual([]);
      under.advance(2);
      expect(await turns('watchdog')).toEqual([turn(1), turn(1)]);
    });

    it('watches after 15 minutes at the latest', async () => {
      await queue.watch(turn(1), 5_000);
      under.advance(899);
      expect(await turns('watchdog')).toEqual([]);
      under.advance(2);
      expect(await turns('watchdog')).toEqual([turn(1)]);
    });

    it.each(ODD)('carries ids as they are: %j', async (odd) => {
      const [room, event, by] = [`!room${odd}`, `$event${odd}`, `@ana${odd}`];
      const notice: Notice = { kind: 'stale', window: `w${odd}` };
      await queue.decide(room, event, 0);
      await queue.join({ room, event, by, since: 5 });
      await queue.join({ room, event: `${event}2`, by, since: 6, predecessor: `${room}2` });
      await queue.notice(room, event, notice);
      const seen = await drain();
      expect(seen).toHaveLength(4);
      expect(seen).toEqual(
        expect.arrayContaining([
          { kind: 'decide', room, event },
          { kind: 'join', room, event, by, since: 5 },
          { kind: 'join', room, event: `${event}2`, by, since: 6, predecessor: `${room}2` },
          { kind: 'notice', room, event, notice },
        ]),
      );
    });

    it('carries ids and times only', async () => {
      await send(1);
      await queue.decide('!r', '$e', 0);
      await queue.join({ room: '!r', event: '$e', by: '@a', since: 5 });
      await queue.notice('!r', '$e', { kind: 'loop', window: '7' });
      const names = new Set<string>();
      for (let one = await under.take('turns'); one; one = await under.take('turns')) {
        for (const key of Object.keys(JSON.parse(one.body) as object)) names.add(key);
        await one.remove();
      }
      expect([...names].sort()).toEqual(['by', 'event', 'kind', 'notice', 'room', 'since', 'turn', 'v']);
    });

    it('takes each kind of an event once, and a later round of it again', async () => {
      for (let n = 0; n < 2; n++) {
        await queue.decide('!r', '$e', 0);
        await queue.join({ room: '!r', event: '$e', by: '@a', since: 5 });
        await queue.notice('!r', '$e', { kind: 'stale', window: '7' });
      }
      expect(await drain()).toHaveLength(3);
      await queue.decide('!r', '$e', 1_800_000_000_000);
      await queue.decide('!r', '$e2', 0);
      await queue.notice('!r', '$e', { kind: 'stale', window: '8' });
      await queue.notice('!r', '$e', { kind: 'loop', window: '7' });
      expect(await drain()).toHaveLength(4);
    });

    it('keeps what a room is asked of one kind in order', async () => {
      for (const event of ['$1', '$2', '$3']) await queue.decide('!r', event, 0);
      const first = await under.take('turns');
      expect(await under.take('turns')).toBeUndefined();
      await first!.remove();
      expect((await drain()).map((message) => (message as { event: string }).event)).toEqual(['$2', '$3']);
    });
  });
}
