/**
 * DynamoDB for the dev host and the tests: dynalite in this process, on a loopback port, in memory or in a folder.
 * The tables of `lib/tables.ts` are created where they are missing.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { dueIndex, partitionKey, sortKey, tables } from '../../lib/tables.ts';
import { localCredentials } from './credentials.ts';

export type LocalDynamoDB = {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  stop(): Promise<void>;
};

/** `folder` keeps the data on disk. `prefix` stands before each table's name, so that tests can share one server. */
export async function startDynamoDB(
  options: { folder?: string; prefix?: string } = {},
): Promise<LocalDynamoDB> {
  const server = dynalite({ path: options.folder, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = new DynamoDBClient({ endpoint, ...localCredentials });
  await createTables(client, options.prefix ?? '');
  return {
    endpoint,
    client,
    async stop() {
      client.destroy();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

/** Creates the tables that are not there yet; all can be used when this resolves. */
export async function createTables(client: DynamoDBClient, prefix: string): Promise<void> {
  for (const table of tables) {
    try {
      await client.send(
        new CreateTableCommand({
          TableName: prefix + table,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: partitionKey, AttributeType: 'S' },
            { AttributeName: sortKey, AttributeType: 'S' },
            { AttributeName: dueIndex.partitionKey, AttributeType: 'S' },
            { AttributeName: dueIndex.sortKey, AttributeType: 'N' },
          ],
          KeySchema: [
            { AttributeName: partitionKey, KeyType: 'HASH' },
            { AttributeName: sortKey, KeyType: 'RANGE' },
          ],
          GlobalSecondaryIndexes: [
            {
              IndexName: dueIndex.name,
              KeySchema: [
                { AttributeName: dueIndex.partitionKey, KeyType: 'HASH' },
                { AttributeName: dueIndex.sortKey, KeyType: 'RANGE' },
              ],
              Projection: { ProjectionType: 'KEYS_ONLY' },
            },
          ],
        }),
      );
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
    }
    const patience = { maxWaitTime: 10, minDelay: 0.005, maxDelay: 0.05 };
    await waitUntilTableExists({ client, ...patience }, { TableName: prefix + table });
  }
}
