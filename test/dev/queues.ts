/** The queues of a test, with the wall clock in its hands, and the calls on them in one word each. */
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { type LocalQueues, type QueueKind, startQueues } from '../../bin/dev/sqs.ts';
import type { QueueName } from '../../lib/queues.ts';

type From = { queue?: QueueName; kind?: QueueKind; wait?: number; poller?: string };

/** Only the wall clock is virtual: visibility and deduplication go by it, timers stay real. */
export const advance = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);

/** Starts queues before each test and stops them after it, in memory unless the test restarts them elsewhere. */
export function testQueues() {
  let local: LocalQueues;
  let sent = 0;
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    local = await startQueues();
  });
  afterEach(async () => {
    await local.stop();
    vi.useRealTimers();
  });

  const receive = async (from: From = {}): Promise<Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl: local.url(from.queue ?? 'turns', from.kind),
      MaxNumberOfMessages: 10,
      ReceiveRequestAttemptId: from.poller,
      WaitTimeSeconds: from.wait ?? 0,
      MessageSystemAttributeNames: ['All'],
    });
    return (await local.client.send(command)).Messages ?? [];
  };
  const attributes = async (queue: QueueName, kind: QueueKind = 'main') => {
    const command = new GetQueueAttributesCommand({
      QueueUrl: local.url(queue, kind),
      AttributeNames: ['All'],
    });
    return (await local.client.send(command)).Attributes!;
  };
  return {
    local: () => local,
    async restart(folder: string) {
      await local.stop();
      local = await startQueues({ folder });
    },
    /** Into the FIFO queue. */
    send: (body: string, group: string, id = `id-${sent++}`) =>
      local.client.send(
        new SendMessageCommand({
          QueueUrl: local.url('turns'),
          MessageBody: body,
          MessageGroupId: group,
          MessageDeduplicationId: id,
        }),
      ),
    /** Into the standard queue, visible after `delay` s. */
    remind: (body: string, delay = 0) =>
      local.client.send(
        new SendMessageCommand({ QueueUrl: local.url('watchdog'), MessageBody: body, DelaySeconds: delay }),
      ),
    receive,
    bodies: async (from?: From) => (await receive(from)).map((message) => message.Body),
    async one(from?: From): Promise<Message> {
      const messages = await receive(from);
      expect(messages).toHaveLength(1);
      return messages[0]!;
    },
    remove: ({ ReceiptHandle }: Message) =>
      local.client.send(new DeleteMessageCommand({ QueueUrl: local.url('turns'), ReceiptHandle })),
    hide: ({ ReceiptHandle }: Message, seconds: number) =>
      local.client.send(
        new ChangeMessageVisibilityCommand({
          QueueUrl: local.url('turns'),
          ReceiptHandle,
          VisibilityTimeout: seconds,
        }),
      ),
    attributes,
    /** How many messages can be received, and how many are in flight. */
    async counts(queue: QueueName): Promise<[number, number]> {
      const all = await attributes(queue);
      return [Number(all.ApproximateNumberOfMessages), Number(all.ApproximateNumberOfMessagesNotVisible)];
    },
  };
}
