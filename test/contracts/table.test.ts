import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalDynamoDB, startDynamoDB } from '../../bin/dev/dynamodb.ts';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import { shardOf, shards } from '../../functions/runtime/table.ts';
import { memoryTable } from '../fakes/table.ts';
import { tableContract } from './table.ts';

let dynamodb: LocalDynamoDB;
beforeAll(async () => {
  dynamodb = await startDynamoDB();
});
afterAll(() => dynamodb.stop());

tableContract('in memory', async () => memoryTable());
tableContract('DynamoDB', async () => dynamoTable(dynamodb.client, 'gate'));

describe('shards', () => {
  it('spread keys over all sixteen', () => {
    const used = new Set(Array.from({ length: 500 }, (_, n) => shardOf(`turn-${n}`)));
    expect([...used].sort()).toEqual([...shards]);
  });
});
