/**
 * SQS on a loopback port, made of fauxqs' own parts, because its start function listens on every interface.
 * Where fauxqs 2.4.1 differs from SQS in what Turnpike relies on, it is corrected here:
 *
 * - a deduplication id counts within its message group, as `DeduplicationScope: messageGroup` says, not in the queue;
 * - a long poll ends with a message or with its time, not because another poll was served first;
 * - a visibility of 0 gives a message back on disk too (there fauxqs fails, and forgets the message).
 *
 * SQS knows no pollers; here one can leave, and takes no message any more. What stays different: messages never
 * expire; a batch holds at most one message of a group; a message of a standard queue loses its group id; a dead
 * letter has no `DeadLetterQueueSourceArn`; a restart forgets deduplication ids.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** What is used of fauxqs' classes, which it does not export. */
export type Store = {
  persistence: Persistence | undefined;
  createQueue(name: string, url: string, arn: string, attributes: Record<string, string>): Queue;
  getQueueByName(name: string): Queue | undefined;
  getQueue(url: string): Queue | undefined;
  allQueues(): Iterable<Queue>;
  /** Wakes every poll. */
  shutdown(): void;
};
type Queue = {
  url: string;
  persistence: Persistence | undefined;
  setAttributes(attributes: Record<string, string>): void;
  waitForMessages(seconds: number): Promise<void>;
};
type Persistence = {
  readonly db: { prepare(sql: string): { run(value: string): unknown } };
  updateMessageReady(messageId: string): void;
  loadSqsAndSns(queues: Store, topics: object): void;
  close(): void;
};
type Send = { MessageGroupId?: string; MessageDeduplicationId?: string };
type Body = Send & {
  QueueUrl?: string;
  WaitTimeSeconds?: number;
  ReceiveRequestAttemptId?: string;
  Entries?: Send[];
};
type Received = { Messages?: { Attributes?: Send }[] };
type Call = { readonly headers: IncomingHttpHeaders };
type Action = (body: Body, store: Store, call: Call) => unknown;
type Reply = { status(code: number): void; header(name: string, value: string): void };
type Router = {
  register(name: string, action: Action): void;
  handle(request: Call & { readonly body: Body }, reply: Reply): Promise<unknown>;
};

const actions = [
  'getQueueUrl',
  'listQueues',
  'getQueueAttributes',
  'setQueueAttributes',
  'purgeQueue',
  'sendMessage',
  'sendMessageBatch',
  'receiveMessage',
  'deleteMessage',
  'deleteMessageBatch',
  'changeMessageVisibility',
  'changeMessageVisibilityBatch',
];

export type Fauxqs = {
  readonly endpoint: string;
  readonly store: Store;
  /** Polls that carry this id as their `ReceiveRequestAttemptId` end at once and, from now on, without a message. */
  leave(poller: string): void;
  /** Ends every poll at once. */
  stop(): Promise<void>;
};

/** Starts the server. `folder` keeps queues and messages on disk. */
export async function startFauxqs(folder?: string): Promise<Fauxqs> {
  const { SqsStore } = await part<{ SqsStore: new () => Store }>('sqs/sqsStore');
  const { SqsRouter } = await part<{ SqsRouter: new (store: Store) => Router }>('sqs/sqsRouter');
  const store = new SqsStore();
  const persistence = folder === undefined ? undefined : await openFolder(folder, store);

  const left = new Set<string>();
  let stopped = false;
  const mayPoll = (poller = '') => !stopped && !left.has(poller);
  const router = new SqsRouter(store);
  for (const name of actions) {
    const action = (await part<Record<string, Action>>(`sqs/actions/${name}`))[name]!;
    router.register(name[0]!.toUpperCase() + name.slice(1), corrected(name, action, mayPoll));
  }
  const server = createServer(async (request, response) => {
    try {
      const body = (await json(request)) as Body;
      const result = await router.handle(
        { headers: request.headers, body },
        {
          status(code) {
            response.statusCode = code;
          },
          header(name, value) {
            response.setHeader(name, value);
          },
        },
      );
      response.end(JSON.stringify(result));
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    endpoint,
    store,
    leave(poller) {
      left.add(poller);
      store.shutdown();
    },
    async stop() {
      stopped = true;
      store.shutdown();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      persistence?.close();
    },
  };
}

const part = async <T>(name: string): Promise<T> =>
  (await import(new URL(`${name}.js`, import.meta.resolve('fauxqs')).href)) as T;

async function openFolder(folder: string, store: Store): Promise<Persistence> {
  const { PersistenceManager } = await part<{ PersistenceManager: new (folder: string) => Persistence }>(
    'persistence',
  );
  const persistence = new PersistenceManager(folder);
  const ready = persistence.db.prepare(
    'UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?',
  );
  persistence.updateMessageReady = (messageId) => void ready.run(messageId);
  // Before the store is told of it: loading writes each queue anew, and that would cascade to its messages.
  persistence.loadSqsAndSns(store, { topics: new Map(), subscriptions: new Map() });
  store.persistence = persistence;
  for (const queue of store.allQueues()) queue.persistence = persistence;
  return persistence;
}

function corrected(name: string, action: Action, mayPoll: (poller?: string) => boolean): Action {
  if (name === 'sendMessage') return (body, ...rest) => action({ ...body, ...scoped(body) }, ...rest);
  if (name === 'sendMessageBatch')
    return (body, ...rest) => action({ ...body, Entries: body.Entries?.map(scoped) ?? [] }, ...rest);
  if (name === 'receiveMessage') return longPoll(action, mayPoll);
  return action;
}

/** Puts the group before the deduplication id. Neither can hold a space. */
function scoped<T extends Send>(send: T): T {
  const { MessageGroupId: group, MessageDeduplicationId: id } = send;
  return group && id ? { ...send, MessageDeduplicationId: `${group} ${id}` } : send;
}

function longPoll(receive: Action, mayPoll: (poller?: string) => boolean): Action {
  return async (body, store, call) => {
    const until = performance.now() + (body.WaitTimeSeconds ?? 0) * 1_000;
    const queue = store.getQueue(body.QueueUrl ?? '');
    while (mayPoll(body.ReceiveRequestAttemptId)) {
      const received = (await receive({ ...body, WaitTimeSeconds: 0 }, store, call)) as Received;
      const rest = until - performance.now();
      if (received.Messages || !queue || rest <= 0) return unscoped(received);
      await queue.waitForMessages(rest / 1_000);
    }
    return {};
  };
}

function unscoped(received: Received): Received {
  for (const { Attributes } of received.Messages ?? []) {
    const id = Attributes?.MessageDeduplicationId;
    if (id) Attributes.MessageDeduplicationId = id.slice(id.indexOf(' ') + 1);
  }
  return received;
}
