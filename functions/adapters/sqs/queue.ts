/**
 * The workers' queues over SQS: one SendMessage a call, repeated by the SDK under the same deduplication id. A queue that
 * does not take a message is `Unavailable`, like any store: whoever sends must not go on as if it had.
 */
import { ChangeMessageVisibilityCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { Unavailable } from '../../runtime/table.ts';
import type { WorkQueue } from '../lambda/compose.ts';
import { type Envelope, messages } from './messages.ts';

export type QueueUrls = { readonly turns: string; readonly watchdog: string };

export function sqsQueue(client: SQSClient, urls: QueueUrls): WorkQueue {
  const send = async ({ body, group, deduplication }: Envelope): Promise<void> => {
    const fifo = { MessageGroupId: group, MessageDeduplicationId: deduplication };
    await taken(client.send(new SendMessageCommand({ QueueUrl: urls.turns, MessageBody: body, ...fifo })));
  };
  return {
    send: (turn, conversation, deduplication) => send(messages.turn(turn, conversation, deduplication)),
    async watch(turn, delaySeconds) {
      const { body } = messages.turn(turn, '', '');
      const message = {
        QueueUrl: urls.watchdog,
        MessageBody: body,
        DelaySeconds: Math.min(900, delaySeconds),
      };
      await taken(client.send(new SendMessageCommand(message)));
    },
    decide: (room, event, round) => send(messages.decide(room, event, round)),
    join: (join) => send(messages.join(join)),
    notice: (room, event, notice) => send(messages.notice(room, event, notice)),
  };
}

async function taken(sent: Promise<unknown>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    throw new Unavailable('send to the queue', { cause: error });
  }
}

/** Hides a received message for that long from now on. A message that is gone, or whose receipt is old, is left alone. */
export async function hide(
  client: SQSClient,
  queueUrl: string,
  receiptHandle: string,
  seconds: number,
): Promise<void> {
  try {
    const change = { QueueUrl: queueUrl, ReceiptHandle: receiptHandle, VisibilityTimeout: seconds };
    await client.send(new ChangeMessageVisibilityCommand(change));
  } catch (error) {
    if (
      !(error instanceof Error) ||
      !/^(MessageNotInflight|ReceiptHandleIsInvalid|InvalidParameterValue)/.test(error.name)
    )
      throw error;
  }
}
