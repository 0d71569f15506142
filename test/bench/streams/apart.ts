/** A client of DynamoDB's stand-in, which runs in a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localCredentials } from '../../../bin/dev/credentials.ts';

const runner = fileURLToPath(new URL('dynamodb-process.ts', import.meta.url));

export async function withDynamoDB<T>(work: (client: DynamoDBClient) => Promise<T>): Promise<T> {
  const child = fork(runner);
  const [endpoint] = (await once(child, 'message')) as [string];
  const client = new DynamoDBClient({ endpoint, ...localCredentials });
  try {
    return await work(client);
  } finally {
    client.destroy();
    child.kill();
    await once(child, 'exit');
  }
}
