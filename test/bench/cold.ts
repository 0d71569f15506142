/**
 * A function's first invocation: from before its bundle is imported to its answer, in a new process each time. Node's own
 * start is not in it. The webhook decides a message of a group room, the worker looks for a turn that is not there, the
 * stream refuses a caller without a session, and `sweep` finds nothing to do; tables, queue, secret and homeserver answer over loopback.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { functionNames } from '../../bin/build/bundle.ts';
import { localCredentials } from '../../bin/dev/credentials.ts';
import { readTokens } from '../../bin/dev/folder.ts';
import type { Bench } from './bench.ts';
import { AT_ONCE, withStack } from './running.ts';
import { median } from './statistics.ts';

const RUNS = 20;
const runner = fileURLToPath(new URL('cold-process.ts', import.meta.url));

export const cold: Bench = {
  figures: Object.fromEntries(functionNames.map((name) => [`cold_ms_${name}`, { unit: 'ms' }])),
  measure: () =>
    withStack({ env: AT_ONCE }, async ({ stack, folder }) => {
      const { hs_token } = await readTokens(folder);
      const room = stack.standIn!.seeded.lobby;
      const { region, credentials } = localCredentials;
      const env = {
        ...stack.env,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      };
      const events = {
        webhook: (n: number) => transaction(hs_token, room, `$cold-${n}`),
        worker: (n: number) => queueMessage(`turn-${n}`),
        stream: (n: number) => request(`turn-${n}`),
        sweep: () => ({}),
      };
      const values: Record<string, number> = {};
      for (const name of functionNames) {
        const path = join(folder, name, 'index.mjs');
        const runs: number[] = [];
        for (let n = 0; n < RUNS; n++) runs.push(await run(path, events[name](n), env));
        values[`cold_ms_${name}`] = median(runs);
      }
      return values;
    }),
};

async function run(path: string, event: object, env: Record<string, string>): Promise<number> {
  const child = fork(runner, [path, JSON.stringify(event)], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const exit = once(child, 'exit');
  const answer = await Promise.race([once(child, 'message'), exit.then(() => undefined)]);
  await exit;
  if (!answer) throw new Error(`no answer from ${path}`);
  return answer[0] as number;
}

const transaction = (token: string, room: string, event: string) => ({
  rawPath: `/_matrix/app/v1/transactions/${encodeURIComponent(event)}`,
  rawQueryString: '',
  headers: { authorization: `Bearer ${token}` },
  requestContext: { http: { method: 'PUT' } },
  isBase64Encoded: false,
  body: JSON.stringify({
    events: [
      {
        event_id: event,
        room_id: room,
        type: 'm.room.message',
        sender: '@carol:localhost',
        origin_server_ts: Date.now(),
        unsigned: { age: 1 },
        content: { msgtype: 'm.text', body: 'nice weather', 'm.mentions': {} },
      },
    ],
  }),
});

const request = (turn: string) => ({
  rawPath: `/turns/${turn}/events`,
  rawQueryString: '',
  headers: { authorization: 'Bearer nobody' },
  requestContext: { http: { method: 'GET', sourceIp: '127.0.0.1' } },
  isBase64Encoded: false,
});

const queueMessage = (turn: string) => ({
  Records: [
    {
      messageId: turn,
      receiptHandle: turn,
      body: JSON.stringify({ v: 1, kind: 'turn', turn }),
      attributes: { MessageGroupId: turn, SentTimestamp: String(Date.now()) },
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:turns.fifo',
    },
  ],
});
