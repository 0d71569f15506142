/**
 * An SQS event source mapping: polls a queue, invokes a function with what came, deletes what succeeded and leaves the
 * rest to its visibility time-out. Order within a group, and one invocation a group, is the queue's own locking.
 * It never polls while no invocation is free; it does not slow down when the function fails.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html.
 */
import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord, SQSRecordAttributes } from 'aws-lambda';
import type { QueueName } from '../../../lib/queues.ts';
import type { LocalQueues, QueueKind } from '../sqs.ts';
import type { LocalFunction, Outcome } from './function.ts';
import { drain, pause } from './waiting.ts';

export type EventSourceOptions = {
  readonly queues: Pick<LocalQueues, 'client' | 'url' | 'arn' | 'leave'>;
  readonly queue: QueueName;
  readonly kind?: QueueKind;
  readonly function: Pick<LocalFunction, 'name' | 'invoke'>;
  /** At most so many messages an invocation, 1 by default. */
  readonly batchSize?: number;
  /** At most so many invocations at a time, 10 by default. */
  readonly maxConcurrency?: number;
  log?(line: string): void;
};

export type EventSource = {
  /** No message is received after this is called; what runs is awaited for up to `graceMs`. */
  stop(graceMs?: number): Promise<void>;
};

/** The longest that SQS lets a poll wait, in s. */
const longPoll = 20;

export function startEventSource(options: EventSourceOptions): EventSource {
  const { queues, maxConcurrency = 10 } = options;
  const { client } = queues;
  const QueueUrl = queues.url(options.queue, options.kind);
  const arn = queues.arn(options.queue, options.kind);
  const poller = randomUUID();
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = new Set<Promise<void>>();

  const receive = async (): Promise<Message[]> => {
    const command = new ReceiveMessageCommand({
      QueueUrl,
      ReceiveRequestAttemptId: poller,
      MaxNumberOfMessages: options.batchSize ?? 1,
      WaitTimeSeconds: longPoll,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return (await client.send(command)).Messages ?? [];
  };
  const work = async (messages: readonly Message[]): Promise<void> => {
    const event: SQSEvent = { Records: messages.map((message) => record(message, arn)) };
    const outcome = await options.function.invoke(event);
    const failed = failures(outcome, new Set(event.Records.map(({ messageId }) => messageId)));
    const done = event.Records.filter(({ messageId }) => !failed.has(messageId));
    if (done.length === 0) return;
    await client.send(
      new DeleteMessageBatchCommand({
        QueueUrl,
        Entries: done.map(({ receiptHandle }, n) => ({ Id: String(n), ReceiptHandle: receiptHandle })),
      }),
    );
  };
  const giveBack = ({ ReceiptHandle }: Message) =>
    client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  const report = (error: unknown) => options.log?.(`${options.function.name}: ${String(error)}`);

  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      const messages = await receive();
      if (messages.length === 0) continue;
      // It was taken before the poller left, but nothing is begun any more.
      if (signal.aborted) await Promise.all(messages.map(giveBack));
      else {
        const invocation = work(messages)
          .catch(report)
          .finally(() => running.delete(invocation));
        running.add(invocation);
        while (running.size >= maxConcurrency) await Promise.race(running);
      }
    }
  };
  const pollOn = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        await poll();
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        await pause(200, signal);
      }
    }
  };
  const polling = pollOn();

  return {
    async stop(graceMs = 5_000) {
      stopping.abort();
      queues.leave(poller);
      await drain([...running, polling], graceMs);
    },
  };
}

/** The ids that Lambda leaves in the queue. */
function failures(outcome: Outcome, ids: ReadonlySet<string>): ReadonlySet<string> {
  if (outcome.status === 'error') return ids;
  try {
    const answer = JSON.parse(outcome.payload) as {
      batchItemFailures?: { itemIdentifier?: unknown }[];
    } | null;
    const failed = (answer?.batchItemFailures ?? []).map((item) => item?.itemIdentifier as string);
    return failed.every((id) => ids.has(id)) ? new Set(failed) : ids;
  } catch {
    return ids;
  }
}

function record(message: Message, eventSourceARN: string): SQSRecord {
  return {
    messageId: message.MessageId!,
    receiptHandle: message.ReceiptHandle!,
    body: message.Body!,
    attributes: message.Attributes as unknown as SQSRecordAttributes,
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        {
          dataType: value.DataType!,
          ...(value.StringValue !== undefined && { stringValue: value.StringValue }),
          ...(value.BinaryValue && { binaryValue: Buffer.from(value.BinaryValue).toString('base64') }),
          stringListValues: [],
          binaryListValues: [],
        },
      ]),
    ),
    md5OfBody: message.MD5OfBody!,
    ...(message.MD5OfMessageAttributes && { md5OfMessageAttributes: message.MD5OfMessageAttributes }),
    eventSource: 'aws:sqs',
    eventSourceARN,
    awsRegion: eventSourceARN.split(':')[3]!,
  };
}
