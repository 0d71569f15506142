/** What a test may look up behind the system: its tables and its queue. */
import { DynamoDBClient, paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { localCredentials } from '../../bin/dev/credentials.ts';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import { keys as gateKeys } from '../../functions/gate/keys.ts';
import { type Decided, recordOf } from '../../functions/inbox/record.ts';
import { type Head, headOf, isTerminal } from '../../functions/turns/head.ts';
import { matrixTurnId } from '../../functions/turns/ids.ts';
import { keys as turnKeys } from '../../functions/turns/keys.ts';
import { tables } from '../../lib/tables.ts';
import { until } from './until.ts';

export type Inside = ReturnType<typeof lookInside>;

/** `env` is that of the functions. */
export function lookInside(env: Readonly<Record<string, string>>) {
  const dynamo = new DynamoDBClient({ endpoint: env.AWS_ENDPOINT_URL_DYNAMODB!, ...localCredentials });
  const sqs = new SQSClient({ endpoint: env.AWS_ENDPOINT_URL_SQS!, ...localCredentials });
  const [turns, gate] = [dynamoTable(dynamo, 'turns'), dynamoTable(dynamo, 'gate')];

  const head = async (room: string, event: string): Promise<Head | undefined> => {
    const row = await turns.get(turnKeys.head(matrixTurnId(room, event)));
    return row && headOf(row);
  };
  return {
    head,
    /** What was decided about an event, once all that follows from it is done but the turn. */
    decided: (room: string, event: string): Promise<Decided> =>
      until(`the decision about ${event}`, async () => {
        const record = recordOf(await gate.get(gateKeys.record(room, event)));
        return record.finished && record.decided;
      }),
    /** How the turn that answers an event ended. */
    ended: (room: string, event: string, deadlineMs?: number): Promise<Head> =>
      until(
        `the end of the turn of ${event}`,
        async () => {
          const now = await head(room, event);
          return now && isTerminal(now) && now;
        },
        deadlineMs,
      ),
    /** Resolves when no worker has anything to do any more. */
    async idle(): Promise<void> {
      const counts = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
      const command = new GetQueueAttributesCommand({
        QueueUrl: env.TURNS_QUEUE_URL,
        AttributeNames: [...counts],
      });
      await until('the queue to be empty', async () => {
        const { Attributes: left = {} } = await sqs.send(command);
        return counts.every((name) => left[name] === '0');
      });
    },
    /** The rows of all tables that hold a word, as `table pk sk`. */
    async rowsWith(word: string): Promise<string[]> {
      const found: string[] = [];
      for (const table of tables)
        for await (const page of paginateScan({ client: dynamo }, { TableName: table, ConsistentRead: true }))
          for (const row of page.Items ?? [])
            if (JSON.stringify(row).includes(word)) found.push(`${table} ${row.pk!.S} ${row.sk!.S}`);
      return found;
    },
    /** Lets the time pass after which `sweep` comes back to an event's record. */
    async makeDue(room: string, event: string): Promise<void> {
      const { pk, sk } = gateKeys.record(room, event);
      await dynamo.send(
        new UpdateItemCommand({
          TableName: 'gate',
          Key: { pk: { S: pk }, sk: { S: sk } },
          UpdateExpression: 'SET du = :now',
          ConditionExpression: 'attribute_exists(du)',
          ExpressionAttributeValues: { ':now': { N: String(Date.now()) } },
        }),
      );
    },
    close() {
      dynamo.destroy();
      sqs.destroy();
    },
  };
}
