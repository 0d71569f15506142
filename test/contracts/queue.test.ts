import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, it, vi } from 'vitest';
import { startQueues } from '../../bin/dev/sqs.ts';
import { parseMessage } from '../../functions/adapters/sqs/messages.ts';
import { sqsQueue } from '../../functions/adapters/sqs/queue.ts';
import { Unavailable } from '../../functions/runtime/table.ts';
import { queueOver } from '../fakes/queue.ts';
import { Queues } from '../model/queues.ts';
import { World } from '../model/world.ts';
import { queueContract } from './queue.ts';

const HIDDEN_MS = 45_000;

queueContract('of the models', async () => {
  const world = new World(1);
  const queues = new Queues<string>(world);
  return {
    queue: queueOver(queues),
    async take(from) {
      const message = queues.receive(from);
      if (!message) return undefined;
      message.visibleAt = world.now + HIDDEN_MS;
      return { body: message.body, remove: async () => queues.remove(from, message) };
    },
    advance: (seconds) => {
      world.now += seconds * 1_000;
    },
    stop: async () => undefined,
  };
});

async function sqs() {
  // Only the wall clock is virtual: visibility, delay and deduplication go by it.
  vi.useFakeTimers({ toFake: ['Date'] });
  const local = await startQueues();
  const urls = { turns: local.url('turns'), watchdog: local.url('watchdog') };
  return { local, urls, queue: sqsQueue(local.client, urls) };
}

queueContract('SQS', async () => {
  const { local, urls, queue } = await sqs();
  return {
    queue,
    async take(from) {
      const QueueUrl = urls[from];
      const { Messages } = await local.client.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 1 }),
      );
      const message = Messages?.[0];
      return (
        message && {
          body: message.Body!,
          async remove() {
            const { ReceiptHandle } = message;
            await local.client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
          },
        }
      );
    },
    advance: (seconds) => vi.setSystemTime(Date.now() + seconds * 1_000),
    async stop() {
      await local.stop();
      vi.useRealTimers();
    },
  };
});

describe('a queue that is not there', () => {
  it('is unavailable: nobody goes on as if it had taken the message', async () => {
    const { local, queue } = await sqs();
    await local.stop();
    vi.useRealTimers();
    await expect(queue.send('t', 'c', 'd')).rejects.toThrow(Unavailable);
    await expect(queue.watch('t', 5)).rejects.toThrow(Unavailable);
  });
});

describe('a message that this release did not write', () => {
  it.each([
    '',
    'text',
    'null',
    '[]',
    '7',
    '{}',
    '{"v":2,"kind":"turn","turn":"t"}',
    '{"v":"1","kind":"turn","turn":"t"}',
    '{"v":1,"kind":"turn"}',
    '{"v":1,"kind":"turn","turn":""}',
    '{"v":1,"kind":"turn","turn":7}',
    '{"v":1,"kind":"other","room":"!r","event":"$e"}',
    '{"v":1,"kind":"decide","room":"!r"}',
    '{"v":1,"kind":"decide","event":"$e"}',
    '{"v":1,"kind":"join","room":"!r","event":"$e","by":"@a"}',
    '{"v":1,"kind":"join","room":"!r","event":"$e","by":"@a","since":"5"}',
    '{"v":1,"kind":"notice","room":"!r","event":"$e"}',
    '{"v":1,"kind":"notice","room":"!r","event":"$e","notice":null}',
    '{"v":1,"kind":"notice","room":"!r","event":"$e","notice":{"kind":"odd","window":"7"}}',
    '{"v":1,"kind":"notice","room":"!r","event":"$e","notice":{"kind":"stale","window":7}}',
  ])('is none: %s', (body) => {
    expect(parseMessage(body)).toBeUndefined();
  });

  it('may say more than this one reads', () => {
    expect(parseMessage('{"v":1,"kind":"turn","turn":"t","more":1}')).toEqual({ kind: 'turn', turn: 't' });
    const join = '{"v":1,"kind":"join","room":"!r","event":"$e","by":"@a","since":5,"predecessor":""}';
    expect(parseMessage(join)).toEqual({ kind: 'join', room: '!r', event: '$e', by: '@a', since: 5 });
  });
});
