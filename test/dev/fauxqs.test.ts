import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { queues } from '../../lib/queues.ts';
import { advance, testQueues } from './queues.ts';

const { local, send, remind, receive, one, bodies, remove, hide } = testQueues();

describe('a FIFO queue', () => {
  it('gives one message of a group at a time, in order, and locks the group until it is deleted', async () => {
    for (const body of ['a1', 'a2', 'a3']) await send(body, 'a');
    await send('b1', 'b');
    const first = await receive();
    expect(first.map((m) => m.Body)).toEqual(['a1', 'b1']);
    expect(await receive()).toEqual([]);
    await remove(first[0]!);
    expect(await bodies()).toEqual(['a2']);
  });

  it('gives a message again before later ones of its group, once its visibility time-out has passed', async () => {
    await send('a1', 'a');
    await send('a2', 'a');
    const first = await one();
    advance(queues.turns.visibility - 1);
    expect(await receive()).toEqual([]);
    advance(1);
    const again = await one();
    expect(again).toMatchObject({ Body: 'a1', MessageId: first.MessageId });
    expect(again.ReceiptHandle).not.toBe(first.ReceiptHandle);
    await expect(hide(first, 45)).rejects.toMatchObject({ name: 'MessageNotInflight' });
  });

  it('counts a shorter or longer visibility from now', async () => {
    await send('a1', 'a');
    await hide(await one(), 45);
    advance(44);
    expect(await receive()).toEqual([]);
    advance(1);
    const again = await one();
    await hide(again, 45);
    advance(30);
    await hide(again, 45);
    advance(30);
    expect(await receive()).toEqual([]);
    advance(15);
    expect((await one()).Attributes?.ApproximateReceiveCount).toBe('3');
  });

  it('gives a message back at once when its visibility is set to 0', async () => {
    await send('a1', 'a');
    await send('a2', 'a');
    await hide(await one(), 0);
    expect(await bodies()).toEqual(['a1']);
  });

  it('takes one deduplication id once within 5 minutes, deleted or not, and shows it as it was sent', async () => {
    const first = await send('a1', 'a', 'turn.run.0');
    const repeated = await send('a1', 'a', 'turn.run.0');
    expect(repeated.MessageId).toBe(first.MessageId);
    expect(repeated.SequenceNumber).toBe(first.SequenceNumber);
    const message = await one();
    expect(message.Attributes?.MessageDeduplicationId).toBe('turn.run.0');
    await remove(message);
    advance(299);
    await send('a1', 'a', 'turn.run.0');
    expect(await receive()).toEqual([]);
    advance(2);
    await send('a1', 'a', 'turn.run.0');
    expect(await bodies()).toEqual(['a1']);
  });

  it('deduplicates within a group, not across the queue', async () => {
    await send('a1', 'a', 'same');
    await send('b1', 'b', 'same');
    await local().client.send(
      new SendMessageBatchCommand({
        QueueUrl: local().url('turns'),
        Entries: ['a', 'c'].map((group) => ({
          Id: group,
          MessageBody: `${group}1`,
          MessageGroupId: group,
          MessageDeduplicationId: 'same',
        })),
      }),
    );
    expect(await bodies()).toEqual(['a1', 'b1', 'c1']);
  });

  it('refuses what SQS refuses', async () => {
    const message = { QueueUrl: local().url('turns'), MessageBody: 'x' };
    await expect(
      local().client.send(new SendMessageCommand({ ...message, MessageDeduplicationId: 'x' })),
    ).rejects.toThrow('must contain the parameter MessageGroupId');
    await expect(
      local().client.send(new SendMessageCommand({ ...message, MessageGroupId: 'x' })),
    ).rejects.toThrow('MessageDeduplicationId');
    await expect(
      local().client.send(
        new SendMessageCommand({ ...message, QueueUrl: `${local().endpoint}/0/none.fifo` }),
      ),
    ).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
  });

  it('moves a message to its dead-letter queue after maxReceives, and the group goes on', async () => {
    const { MessageId } = await send('poison', 'a');
    await send('next', 'a');
    for (let n = 1; n <= queues.turns.maxReceives; n++) {
      const message = await one();
      expect(message.Attributes?.ApproximateReceiveCount).toBe(String(n));
      await hide(message, 0);
    }
    expect(await bodies()).toEqual(['next']);
    expect(await one({ kind: 'dead' })).toMatchObject({
      Body: 'poison',
      MessageId,
      Attributes: { MessageGroupId: 'a' },
    });
  });

  it('tells a message from when, how often and in which group it came', async () => {
    const before = Date.now();
    await send('a1', 'a');
    advance(7);
    expect((await one()).Attributes).toMatchObject({
      ApproximateReceiveCount: '1',
      SentTimestamp: String(before),
      ApproximateFirstReceiveTimestamp: String(before + 7_000),
      MessageGroupId: 'a',
      SequenceNumber: expect.stringMatching(/^\d{20}$/),
      SenderId: expect.any(String),
    });
  });
});

describe('a standard queue', () => {
  it('hides a delayed message until its time', async () => {
    await remind('later', 15);
    expect(await receive({ queue: 'watchdog' })).toEqual([]);
    advance(15);
    expect(await bodies({ queue: 'watchdog' })).toEqual(['later']);
  });
});

describe('a long poll', () => {
  it('is woken by a message within some milliseconds', async () => {
    const delays: number[] = [];
    for (let n = 0; n < 20; n++) {
      const poll = one({ wait: 20 }).then((message) => ({ message, at: performance.now() }));
      await new Promise((resolve) => setTimeout(resolve, 2));
      const from = performance.now();
      await send('a1', `group-${n}`);
      delays.push((await poll).at - from);
    }
    expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(15);
  });

  it('is woken when the message before is deleted, and when one becomes visible again', async () => {
    await send('a1', 'a');
    await send('a2', 'a');
    const first = await one();
    const second = one({ wait: 20 });
    await remove(first);
    expect((await second).Body).toBe('a2');
    const again = one({ wait: 20 });
    advance(queues.turns.visibility);
    expect((await again).Body).toBe('a2');
  });

  it('goes on waiting when another poll took the message', async () => {
    const both = [one({ wait: 20 }), one({ wait: 20 })];
    await new Promise((resolve) => setTimeout(resolve, 20));
    await send('a1', 'a');
    await Promise.race(both);
    await send('b1', 'b');
    expect((await Promise.all(both)).map((m) => m.Body).sort()).toEqual(['a1', 'b1']);
  });

  it('ends without a message when its time is over', async () => {
    const from = performance.now();
    expect(await receive({ wait: 0.2 })).toEqual([]);
    expect(performance.now() - from).toBeGreaterThan(190);
  });

  it('of a poller that has left ends at once, and takes no message from then on', async () => {
    const left = receive({ wait: 20, poller: 'one' });
    const other = one({ wait: 20, poller: 'two' });
    local().leave('one');
    await send('a1', 'a');
    expect(await left).toEqual([]);
    expect((await other).Body).toBe('a1');
    await send('b1', 'b');
    expect(await receive({ wait: 20, poller: 'one' })).toEqual([]);
    expect((await one()).Attributes?.ApproximateReceiveCount).toBe('1');
  });

  it('ends when the server stops', async () => {
    const poll = receive({ wait: 20 }).catch(() => []);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await local().stop();
    expect(await poll).toEqual([]);
  });
});
