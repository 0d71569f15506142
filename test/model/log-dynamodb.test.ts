import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LocalDynamoDB, startDynamoDB } from '../../bin/dev/dynamodb.ts';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import { runLogSchedule } from './log-model.ts';
import { replay } from './replay.ts';

const SCHEDULES = Number(process.env.MODEL_DYNAMODB_RUNS ?? 500);
const AT_ONCE = 6;

let dynamodb: LocalDynamoDB;
beforeAll(async () => {
  dynamodb = await startDynamoDB();
});
afterAll(() => dynamodb.stop());

it('DynamoDB answers 500 schedules of the log as the memory table does', { timeout: 600_000 }, async () => {
  const table = dynamoTable(dynamodb.client, 'turns');
  const seeds = Array.from({ length: SCHEDULES }, (_, n) => 100_001 + n);
  let steps = 0;
  const work = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { journal, violations } = await runLogSchedule(seed);
      expect([...violations.keys()], `seed ${seed}`).toEqual([]);
      steps += journal.length;
      const odd = await replay(journal, table, `${seed}|`);
      if (odd !== undefined) expect.fail(`seed ${seed}, ${odd}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  expect(steps).toBeGreaterThan(20 * SCHEDULES);
});
