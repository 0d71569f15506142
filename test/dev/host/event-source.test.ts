import { ReceiveMessageCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../bin/dev/host/function.ts';
import { eventually, testFunctions } from './functions.ts';
import { fake, success, testMappings } from './mappings.ts';

const { local, send, remind, counts, map, settled } = testMappings();
const { start, lines, printed } = testFunctions();

describe('the event', () => {
  it('is Lambda’s', async () => {
    const seen = fake();
    map('turns', { function: seen });
    const now = String(Date.now());
    await local().client.send(
      new SendMessageCommand({
        QueueUrl: local().url('turns'),
        MessageBody: 'body',
        MessageGroupId: 'a',
        MessageDeduplicationId: 'once',
        MessageAttributes: {
          text: { DataType: 'String', StringValue: 'x' },
          bytes: { DataType: 'Binary', BinaryValue: Buffer.from('hé') },
        },
      }),
    );
    await eventually(() => seen.events).toHaveLength(1);
    expect(seen.events[0]).toEqual({
      Records: [
        {
          messageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
          receiptHandle: expect.any(String),
          body: 'body',
          attributes: {
            ApproximateReceiveCount: '1',
            ApproximateFirstReceiveTimestamp: now,
            SentTimestamp: now,
            SenderId: expect.any(String),
            SequenceNumber: expect.any(String),
            MessageGroupId: 'a',
            MessageDeduplicationId: 'once',
          },
          messageAttributes: {
            text: { dataType: 'String', stringValue: 'x', stringListValues: [], binaryListValues: [] },
            bytes: { dataType: 'Binary', binaryValue: 'aMOp', stringListValues: [], binaryListValues: [] },
          },
          md5OfBody: '841a2d689ad86bd1611447453c22c6fc',
          md5OfMessageAttributes: expect.any(String),
          eventSource: 'aws:sqs',
          eventSourceARN: local().arn('turns'),
          awsRegion: 'us-east-1',
        },
      ],
    });
  });

  it('holds one message unless more were asked for', async () => {
    for (let n = 0; n < 5; n++) await remind(`m${n}`);
    const single = fake();
    const source = map('watchdog', { function: single });
    await eventually(() => single.events.length).toBe(5);
    await source.stop();
    for (let n = 0; n < 5; n++) await remind(`m${n}`);
    const batched = fake();
    map('watchdog', { function: batched, batchSize: 10 });
    await eventually(() => batched.events.map(({ Records }) => Records.length)).toEqual([5]);
  });
});

describe('an invocation', () => {
  it('begins some milliseconds after the message was sent', async () => {
    const delays: number[] = [];
    let begun = Promise.withResolvers<number>();
    map('turns', {
      function: fake(() => {
        begun.resolve(performance.now());
        return success(null);
      }),
    });
    for (let n = 0; n < 20; n++) {
      begun = Promise.withResolvers();
      await new Promise((resolve) => setTimeout(resolve, 2));
      const from = performance.now();
      await send(`m${n}`, `group-${n}`);
      delays.push((await begun.promise) - from);
    }
    expect(delays.sort((a, b) => a - b)[5]).toBeLessThan(15);
  });

  it('of a group waits for the one before it, not for other groups', async () => {
    map('turns', { function: start('worker') });
    for (const name of ['a1', 'a2', 'a3']) await send(`${name} sleep 30`, 'a');
    await send('b1 sleep 1', 'b');
    await printed('end a3');
    expect(lines.filter((line) => line.includes(' a'))).toEqual(
      ['a1', 'a2', 'a3'].flatMap((name) => [`begin ${name}`, `end ${name}`]),
    );
    expect(lines.indexOf('end b1')).toBeLessThan(lines.indexOf('end a2'));
    await settled('turns', [0, 0]);
  });

  it('waits for a free place when as many as allowed are running, and so does its message', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const busy = fake(() => promise);
    map('watchdog', { function: busy, maxConcurrency: 3 });
    for (let n = 0; n < 5; n++) await remind(`m${n}`);
    await eventually(() => busy.events.length).toBe(3);
    await new Promise((done) => setTimeout(done, 30));
    expect(busy.events).toHaveLength(3);
    expect(await counts('watchdog')).toEqual([2, 3]);
    resolve(success(null));
    await settled('watchdog', [0, 0]);
  });
});

describe('stop', () => {
  it('ends the poll at once, and receives nothing after', async () => {
    const seen = fake();
    const source = map('turns', { function: seen });
    await send('m1', 'a');
    await settled('turns', [0, 0]);
    const from = performance.now();
    const stopped = source.stop();
    await send('m2', 'a');
    await stopped;
    expect(performance.now() - from).toBeLessThan(200);
    expect(seen.bodies()).toEqual(['m1']);
    expect(await counts('turns')).toEqual([1, 0]);
  });

  it('gives back a message that was on its way', async () => {
    const arrives = Promise.withResolvers<void>();
    const client = Object.create(local().client, {
      send: {
        async value(command: ReceiveMessageCommand) {
          const answer = await local().client.send(command);
          if (command instanceof ReceiveMessageCommand) await arrives.promise;
          return answer;
        },
      },
    }) as SQSClient;
    const seen = fake();
    await send('m1', 'a');
    const source = map('turns', { queues: { ...local(), client }, function: seen });
    await settled('turns', [0, 1]);
    const stopped = source.stop();
    arrives.resolve();
    await stopped;
    expect(seen.events).toEqual([]);
    expect(await counts('turns')).toEqual([1, 0]);
  });

  it('loses no message that was sent in that moment', async () => {
    for (let n = 0; n < 30; n++) {
      const source = map('turns', { function: fake() });
      const sending = send(`m${n}`, `group-${n}`);
      if (n % 3 > 0) await new Promise((resolve) => setImmediate(resolve));
      if (n % 3 > 1) await sending;
      await source.stop();
      await sending;
    }
    expect((await counts('turns'))[1]).toBe(0);
  });

  it('waits for what runs, and deletes it', async () => {
    const source = map('turns', { function: start('worker') });
    await send('m1 sleep 60', 'a');
    await printed('begin m1');
    await source.stop();
    expect(lines).toContain('end m1');
    expect(await counts('turns')).toEqual([0, 0]);
  });

  it('waits no longer than it was told', async () => {
    const source = map('turns', { function: fake(() => new Promise(() => {})) });
    await send('m1', 'a');
    await settled('turns', [0, 1]);
    const from = performance.now();
    await source.stop(30);
    expect(performance.now() - from).toBeLessThan(300);
  });

  it('works when all places are taken', async () => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const busy = fake(() => promise);
    const source = map('watchdog', { function: busy, maxConcurrency: 1 });
    await remind('m1');
    await remind('m2');
    await eventually(() => busy.events.length).toBe(1);
    const stopped = source.stop();
    resolve(success(null));
    await stopped;
    expect(busy.events).toHaveLength(1);
    expect(await counts('watchdog')).toEqual([1, 0]);
  });
});

describe('a queue that does not answer', () => {
  it('is asked again, and said so', async () => {
    const said: string[] = [];
    const lost = { ...local(), url: () => `${local().endpoint}/000000000000/missing` };
    const source = map('turns', { queues: lost, function: fake(), log: (line) => said.push(line) });
    await eventually(() => said.length).toBeGreaterThan(1);
    expect(said[0]).toMatch(/^fake: .*queue does not exist/);
    await source.stop();
  });
});
