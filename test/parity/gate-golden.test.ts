/**
 * The recorded behaviour of the gate, played against ours over tables in memory and over DynamoDB: each decision, what it
 * sends, and what buffer, threads and roster hold afterwards.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTables, type LocalDynamoDB, startDynamoDB } from '../../bin/dev/dynamodb.ts';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import type { Tables } from '../../functions/adapters/lambda/compose.ts';
import { decide } from '../../functions/gate/decide.ts';
import { memoryTables } from '../inbox/inbox.ts';
import { Held, type Outcome, type Result, type Scenario, scenarios } from './gate-golden-data.ts';
import { expected, ours } from './gate-golden-ours.ts';
import { player } from './gate-golden-player.ts';

vi.mock('../../functions/gate/decide.ts', { spy: true });

async function decisions() {
  const made = await Promise.all(vi.mocked(decide).mock.results.map(({ value }) => value));
  vi.mocked(decide).mockClear();
  return made;
}

let dynamodb: LocalDynamoDB;
beforeAll(async () => {
  dynamodb = await startDynamoDB();
});
afterAll(() => dynamodb.stop());

let made = 0;
async function dynamoTables(): Promise<Tables> {
  const prefix = `s${made++}-`;
  await createTables(dynamodb.client, prefix);
  const table = (name: string) => dynamoTable(dynamodb.client, prefix + name);
  return { turns: table('turns'), gate: table('gate'), memory: table('memory') };
}

const stores: readonly (readonly [string, () => Promise<Tables>])[] = [
  ['in memory', async () => memoryTables()],
  ['DynamoDB', dynamoTables],
];

const sentFor = (result: Result | undefined) => {
  if (result === 'deferred') return ['decide'];
  return typeof result === 'object' && result.respond ? ['turn'] : [];
};
const byKey = <T extends object>(key: keyof T, all: Iterable<T>) =>
  [...all].sort((a, b) => (a[key] < b[key] ? -1 : 1));

async function play(scenario: Scenario, tables: Tables): Promise<void> {
  const playing = player(scenario, tables, decisions);
  const rooms = new Map(scenario.rooms.map(({ id }) => [id, new Held()]));
  let recordedNow = scenario.startAt;
  for (const [index, outcome] of expected(scenario).entries()) {
    const step = scenario.steps[index]!;
    const where = `step ${index}, ${step.op}`;
    recordedNow += (step.dt ?? 0) + (step.op === 'advance' ? step.ms : 0);
    const { result, sent } = await playing.play(step);
    expect(result, where).toEqual(outcome.result);
    expect(sent, where).toEqual(sentFor(result));
    if (step.op === 'message' && typeof result === 'object' && result.respond)
      rooms.get(step.roomId)!.ahead.set(step.threadId, playing.now() - recordedNow);
    for (const [id, held] of rooms) {
      held.apply(outcome.state?.[id] ?? {});
      const { buffer, threads, members } = await playing.state(id);
      const times = buffer.map(({ timestamp }) => timestamp);
      expect(times, where).toEqual(times.toSorted());
      expect(byKey('eventId', buffer), where).toEqual(byKey('eventId', held.buffer.values()));
      expect(threads, where).toEqual(held.activeAt(playing.now()));
      expect(byKey('matrixUserId', members), where).toEqual(byKey('matrixUserId', held.members.values()));
    }
  }
}

describe.each(stores)('%s', (_, open) => {
  it.each(scenarios)('$name: $rule', async (scenario) => {
    vi.mocked(decide).mockClear();
    await play(scenario, await open());
  });
});

it('has all the scenarios that need no chunk, fact, search or roster call', () => {
  expect(scenarios).toHaveLength(53);
});

it.each(Object.entries(ours))('%s: our rule is about steps that were recorded otherwise', (name, steps) => {
  const scenario = scenarios.find((one) => one.name === name)!;
  const what = ({ result, state }: Outcome) => ({ result, state });
  for (const index of Object.keys(steps).map(Number))
    expect(what(expected(scenario)[index]!)).not.toEqual(what(scenario.outcomes[index]!));
});
