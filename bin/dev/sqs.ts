/**
 * SQS for the dev host and the tests: fauxqs in this process, on a loopback port, in memory or in a folder, with the
 * queues of `lib/queues.ts` and their dead-letter queues. Queues that a folder kept take today's attributes.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import { deadLetters, type QueueName, queueName, queues } from '../../lib/queues.ts';
import { localCredentials } from './credentials.ts';
import { type Store, startFauxqs } from './fauxqs.ts';

export type QueueKind = 'main' | 'dead';

export type LocalQueues = {
  readonly endpoint: string;
  readonly client: SQSClient;
  url(queue: QueueName, kind?: QueueKind): string;
  arn(queue: QueueName, kind?: QueueKind): string;
  /** Receives that carry this id as their `ReceiveRequestAttemptId` end at once and take no message from now on. */
  leave(poller: string): void;
  stop(): Promise<void>;
};

/** `folder` keeps the messages on disk. `prefix` stands before each queue's name. */
export async function startQueues(options: { folder?: string; prefix?: string } = {}): Promise<LocalQueues> {
  const { endpoint, store, leave, stop } = await startFauxqs(options.folder);
  const name = (queue: QueueName, kind?: QueueKind) => queueName(options.prefix ?? '', queue, kind);
  const local = {
    endpoint,
    client: new SQSClient({ endpoint, ...localCredentials }),
    url: (queue: QueueName, kind?: QueueKind) => `${endpoint}/${account}/${name(queue, kind)}`,
    arn: (queue: QueueName, kind?: QueueKind) =>
      `arn:aws:sqs:${localCredentials.region}:${account}:${name(queue, kind)}`,
  };
  for (const queue of Object.keys(queues) as QueueName[])
    for (const kind of ['dead', 'main'] as const)
      ensure(store, name(queue, kind), local.url(queue, kind), local.arn(queue, kind), {
        ...attributes(queue, kind),
        ...(kind === 'main' && {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: local.arn(queue, 'dead'),
            maxReceiveCount: queues[queue].maxReceives,
          }),
        }),
      });
  return {
    ...local,
    leave,
    async stop() {
      local.client.destroy();
      await stop();
    },
  };
}

const account = '000000000000';

function attributes(queue: QueueName, kind: QueueKind): Record<string, string> {
  const { fifo, visibility, retention } = { ...queues[queue], ...(kind === 'dead' && deadLetters) };
  return {
    VisibilityTimeout: String(visibility),
    MessageRetentionPeriod: String(retention),
    ...(fifo && {
      FifoQueue: 'true',
      ContentBasedDeduplication: 'false',
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    }),
  };
}

/** A queue that was kept still has the URL of the port it had then. */
function ensure(store: Store, name: string, url: string, arn: string, wanted: Record<string, string>): void {
  const kept = store.getQueueByName(name);
  if (!kept) return void store.createQueue(name, url, arn, wanted);
  kept.url = url;
  kept.setAttributes(wanted);
}
