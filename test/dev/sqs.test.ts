import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetQueueUrlCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startQueues } from '../../bin/dev/sqs.ts';
import { deadLetters, type QueueName, queueName, queues } from '../../lib/queues.ts';
import { advance, testQueues } from './queues.ts';

const queuesOfTest = testQueues();
const { local, send, remind, receive, one, bodies, remove, hide, attributes } = queuesOfTest;

describe('the queues', () => {
  it('are reached on the loopback interface only, by URLs on the endpoint', () => {
    expect(local().endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(local().url('turns')).toBe(`${local().endpoint}/000000000000/turns.fifo`);
    expect(local().url('watchdog', 'dead')).toBe(`${local().endpoint}/000000000000/watchdog-dead`);
    expect(local().arn('turns', 'dead')).toBe('arn:aws:sqs:us-east-1:000000000000:turns-dead.fifo');
  });

  it.each(Object.keys(queues) as QueueName[])('%s has the attributes of lib/queues.ts', async (queue) => {
    const main = await attributes(queue);
    const shape = queues[queue];
    const fifo = shape.fifo
      ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' }
      : {};
    expect(main).toMatchObject({
      VisibilityTimeout: String(shape.visibility),
      MessageRetentionPeriod: String(shape.retention),
      ...fifo,
    });
    expect(JSON.parse(main.RedrivePolicy!)).toEqual({
      deadLetterTargetArn: local().arn(queue, 'dead'),
      maxReceiveCount: shape.maxReceives,
    });
    const dead = await attributes(queue, 'dead');
    expect(dead).toMatchObject({
      QueueArn: local().arn(queue, 'dead'),
      VisibilityTimeout: String(deadLetters.visibility),
      MessageRetentionPeriod: String(deadLetters.retention),
      ...fifo,
    });
    expect(dead.RedrivePolicy).toBeUndefined();
  });

  it('take a prefix, so that two stages do not meet', async () => {
    const other = await startQueues({ prefix: 'test-' });
    expect(other.url('turns').endsWith(`/${queueName('test-', 'turns')}`)).toBe(true);
    await other.stop();
  });
});

describe('a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnpike-sqs-'));
    await restart();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const restart = () => queuesOfTest.restart(folder);

  it('keeps messages in order, what is in flight, and the receive counts', async () => {
    for (const body of ['a1', 'a2', 'a3']) await send(body, 'a');
    await remove(await one());
    const second = await one();
    await remind('later', 15);
    await restart();
    expect(await receive()).toEqual([]);
    expect(await receive({ queue: 'watchdog' })).toEqual([]);
    advance(queues.turns.visibility);
    expect(await bodies({ queue: 'watchdog' })).toEqual(['later']);
    const again = await one();
    expect(again).toMatchObject({ Body: 'a2', MessageId: second.MessageId });
    expect(again.Attributes?.ApproximateReceiveCount).toBe('2');
    await remove(again);
    expect(await bodies()).toEqual(['a3']);
  });

  it('keeps a message that was given back', async () => {
    await send('a1', 'a');
    await hide(await one(), 0);
    await restart();
    const again = await one();
    expect(again.Attributes?.ApproximateReceiveCount).toBe('2');
    await hide(again, 0);
    expect(await bodies()).toEqual(['a1']);
  });

  it('keeps dead letters apart', async () => {
    await send('poison', 'a');
    for (let n = 0; n < queues.turns.maxReceives; n++) await hide(await one(), 0);
    expect(await receive()).toEqual([]);
    await restart();
    expect(await receive()).toEqual([]);
    expect(await bodies({ kind: 'dead' })).toEqual(['poison']);
  });

  it('keeps what happens after a restart', async () => {
    await send('a1', 'a');
    await send('b1', 'b');
    await restart();
    await remove((await receive())[0]!);
    await send('c1', 'c');
    await restart();
    advance(queues.turns.visibility);
    expect((await bodies()).sort()).toEqual(['b1', 'c1']);
  });

  it('does not keep attributes and URLs', async () => {
    const QueueUrl = local().url('turns');
    await local().client.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { VisibilityTimeout: '7' } }),
    );
    await restart();
    const found = await local().client.send(new GetQueueUrlCommand({ QueueName: queueName('', 'turns') }));
    expect(found.QueueUrl).toBe(local().url('turns'));
    expect((await attributes('turns')).VisibilityTimeout).toBe(String(queues.turns.visibility));
  });
});
