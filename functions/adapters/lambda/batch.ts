/**
 * A batch of queue messages as an event-source mapping delivers it, one message at a time. What is to be seen again is
 * hidden for as long as it asked and reported as failed; in a FIFO group nothing behind it is handled before it.
 */
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { again, type Handled } from '../../work/ports.ts';
import { hide } from '../sqs/queue.ts';
import { sqsClient } from './assemble.ts';

/** A message is hidden for so long at first and again and again while it is handled; s, ms. */
const HIDDEN_S = 45;
const EXTEND_MS = 15_000;
/** A failure of ours is seen again after this, s. */
const FAILED_S = 5;

export type HandleRecord = (record: SQSRecord) => Promise<Handled>;

/** `fail` is told of an error; the message is then seen again. */
export async function handleBatch(
  event: SQSEvent,
  handle: HandleRecord,
  fail: (error: unknown) => void,
): Promise<SQSBatchResponse> {
  const failed: SQSRecord[] = [];
  const blocked = new Set<string>();
  for (const record of event.Records) {
    const group = record.attributes.MessageGroupId;
    if (group !== undefined && blocked.has(group)) {
      failed.push(record);
      continue;
    }
    const handled = await handleHidden(record, handle).catch((error: unknown) => {
      fail(error);
      return again(FAILED_S);
    });
    if (handled.kind === 'done') continue;
    await extend(record, handled.seconds).catch(fail);
    failed.push(record);
    if (group !== undefined) blocked.add(group);
  }
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

/** A worker that dies gives its message back within {@link HIDDEN_S}: the timer dies with it. */
async function handleHidden(record: SQSRecord, handle: HandleRecord): Promise<Handled> {
  await extend(record, HIDDEN_S);
  const timer = setInterval(() => {
    // A missed extension is made up for by the next one.
    extend(record, HIDDEN_S).catch(() => undefined);
  }, EXTEND_MS);
  try {
    return await handle(record);
  } finally {
    clearInterval(timer);
  }
}

/** The queue's URL follows from its ARN, so that this needs no configuration. */
async function extend(record: SQSRecord, seconds: number): Promise<void> {
  const [, , , region, account, name] = record.eventSourceARN.split(':');
  await hide(
    sqsClient(),
    `https://sqs.${region}.amazonaws.com/${account}/${name}`,
    record.receiptHandle,
    seconds,
  );
}
