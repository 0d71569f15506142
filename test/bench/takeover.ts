/**
 * The worker is killed in mid-turn: how long until another attempt has begun, from the kill to the head that says so.
 * Three turns at once, killed together; the slowest counts, since the target is a promise. Nobody follows them for
 * `takeover_queue_s`: their own queue messages come back. For `takeover_watched_s` each has a follower, who nudges.
 */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localCredentials } from '../../bin/dev/credentials.ts';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import { type Head, headOf } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import type { Bench } from './bench.ts';
import { AT_ONCE, type Running, withStack } from './running.ts';

const PEOPLE = ['alice', 'bob', 'carol'];
const LOOK_MS = 50;

export const takeover: Bench = {
  figures: {
    takeover_queue_s: { unit: 's', target: '<= 60' },
    takeover_watched_s: { unit: 's', target: '<= 15' },
  },
  measure: async () => ({
    takeover_queue_s: await withStack({ env: AT_ONCE }, (running) => slowest(running, false)),
    takeover_watched_s: await withStack({ env: AT_ONCE }, (running) => slowest(running, true)),
  }),
};

async function slowest({ stack }: Running, followed: boolean): Promise<number> {
  const dynamo = new DynamoDBClient({ endpoint: stack.env.AWS_ENDPOINT_URL_DYNAMODB!, ...localCredentials });
  const table = dynamoTable(dynamo, 'turns');
  const reaches = async (turn: string, isReached: (head: Head) => boolean): Promise<number> => {
    for (;;) {
      const row = await table.get(keys.head(turn));
      if (row && isReached(headOf(row))) return performance.now();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const stopFollowing = new AbortController();
  try {
    const turns = await Promise.all(PEOPLE.map((person) => ask(stack.url, person)));
    await Promise.all(turns.map((turn) => reaches(turn, ({ tail }) => tail >= 3)));
    if (followed) for (const turn of turns) follow(stack.url, turn, stopFollowing.signal);
    await stack.functions.worker.kill();
    const killed = performance.now();
    const taken = await Promise.all(turns.map((turn) => reaches(turn, ({ attempt }) => attempt > 1)));
    return (Math.max(...taken) - killed) / 1_000;
  } finally {
    stopFollowing.abort();
    dynamo.destroy();
  }
}

/** A turn that says a number a second. */
async function ask(url: string, person: string): Promise<string> {
  const body = JSON.stringify({ as: person, room: 'dm', text: 'count to 300' });
  const said = (await (await fetch(`${url}/dev/say`, { method: 'POST', body })).json()) as { turn: string };
  return said.turn;
}

/** Reads a turn's events and throws them away. */
function follow(url: string, turn: string, signal: AbortSignal): void {
  fetch(`${url}/dev/turns/${turn}/events`, { signal })
    .then((response) => response.text())
    .catch(() => undefined);
}
