/**
 * The table port over DynamoDB: one request a call, every read strongly consistent, every page read up to the limit.
 * A refused condition is a return value; throttling, time-outs and broken connections become `Unavailable`; anything
 * else is a fault of the program and is thrown as it is. The table's shape is that of `lib/tables.ts`.
 */
import {
  BatchGetItemCommand,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  type Condition,
  type Key,
  type Range,
  type Row,
  type Table,
  Unavailable,
} from '../../runtime/table.ts';
import { changeText, conditionText, fromItem, placeholders, toItem } from './expressions.ts';

/** A row may stand for its key, and DynamoDB takes nothing else for one. */
const keyOf = ({ pk, sk }: Key) => toItem({ pk, sk });

/** BatchGetItem takes at most this many keys. */
const BATCH = 100;

export function dynamoTable(client: DynamoDBClient, name: string): Table {
  const guarded = async <T, R>(op: string, call: Promise<T>, refused: R): Promise<T | R> => {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return refused;
      throw transient(error) ? new Unavailable(`${name} ${op}`, { cause: error }) : error;
    }
  };
  const read = async <T>(op: string, call: Promise<T>): Promise<T> =>
    (await guarded(op, call, undefined)) as T;

  const condition = (when: Condition | undefined, at = placeholders()) => ({
    TableName: name,
    ...(when && { ConditionExpression: conditionText(when, at) }),
    ...at.maps(),
  });

  async function batch(keys: readonly Key[], found: Row[]): Promise<void> {
    let ask = keys.map(keyOf);
    while (ask.length > 0) {
      const answer = await read(
        'get many',
        client.send(
          new BatchGetItemCommand({ RequestItems: { [name]: { Keys: ask, ConsistentRead: true } } }),
        ),
      );
      for (const item of answer.Responses?.[name] ?? []) found.push(fromItem(item));
      ask = answer.UnprocessedKeys?.[name]?.Keys ?? [];
      if (ask.length === keys.length) throw new Unavailable(`${name} get many`);
    }
  }

  async function pages(range: Range, select?: 'COUNT'): Promise<{ rows: Row[]; count: number }> {
    const rows: Row[] = [];
    let count = 0;
    let start: QueryCommandInput['ExclusiveStartKey'];
    do {
      const page = await read(
        'query',
        client.send(
          new QueryCommand({
            TableName: name,
            KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
            ExpressionAttributeValues: {
              ':pk': { S: range.pk },
              ':from': { S: range.from },
              ':to': { S: range.to },
            },
            ConsistentRead: true,
            ScanIndexForward: !range.newestFirst,
            Limit: range.limit - count,
            ...(select && { Select: select }),
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      for (const item of page.Items ?? []) rows.push(fromItem(item));
      count += page.Count ?? 0;
      start = page.LastEvaluatedKey;
    } while (start && count < range.limit);
    return { rows, count };
  }

  return {
    async get(key) {
      const command = new GetItemCommand({ TableName: name, Key: keyOf(key), ConsistentRead: true });
      const { Item } = await read('get', client.send(command));
      return Item && fromItem(Item);
    },
    async getMany(keys) {
      const once = [...new Map(keys.map((key) => [JSON.stringify([key.pk, key.sk]), key])).values()];
      const found: Row[] = [];
      for (let i = 0; i < once.length; i += BATCH) await batch(once.slice(i, i + BATCH), found);
      return found;
    },
    async put({ op, row, when }) {
      const command = new PutItemCommand({ ...condition(when), Item: toItem(row) });
      return (await guarded(op, client.send(command), undefined)) ? 'written' : 'refused';
    },
    async update({ op, key, when, ...change }) {
      const at = placeholders();
      const UpdateExpression = changeText(change, at);
      const command = new UpdateItemCommand({
        ...condition(when, at),
        Key: keyOf(key),
        ...(UpdateExpression && { UpdateExpression }),
        ReturnValues: 'ALL_NEW',
      });
      const answer = await guarded(op, client.send(command), undefined);
      return answer ? fromItem(answer.Attributes!) : 'refused';
    },
    async remove({ op, key, when }) {
      const command = new DeleteItemCommand({ ...condition(when), Key: keyOf(key) });
      return (await guarded(op, client.send(command), undefined)) ? 'removed' : 'refused';
    },
    query: async (range) => (await pages(range)).rows,
    count: async (range) => (await pages(range, 'COUNT')).count,
    async due(shard, until, limit) {
      const command = new QueryCommand({
        TableName: name,
        IndexName: 'due',
        KeyConditionExpression: 'sh = :shard AND du <= :until',
        ExpressionAttributeValues: { ':shard': { S: shard }, ':until': { N: String(until) } },
        Limit: limit,
      });
      const { Items } = await read('due', client.send(command));
      return (Items ?? []).map((item) => ({ pk: item.pk!.S!, sk: item.sk!.S! }));
    },
  };
}

const TRANSIENT = new Set([
  'TimeoutError',
  'RequestTimeout',
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'InternalServerError',
  'ServiceUnavailable',
  'LimitExceededException',
]);

/** What the SDK itself would have repeated, and any failure of the connection. */
function transient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { $retryable, $metadata, code } = error as Error & {
    $retryable?: unknown;
    $metadata?: { httpStatusCode?: number };
    code?: unknown;
  };
  return (
    $retryable !== undefined ||
    TRANSIENT.has(error.name) ||
    typeof code === 'string' ||
    ($metadata?.httpStatusCode ?? 0) >= 500
  );
}
