/** kill -9 in mid-turn with followers attached: all of them end with the text of the attempt that won. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Stack, startStack } from '../../bin/dev/stack.ts';
import { createClient, type Format, type Turn } from '../../functions/client/client.ts';
import { sessionOf } from './session.ts';
import { until } from './until.ts';

const COUNT = 20;
const text = `${Array.from({ length: COUNT }, (_, n) => n + 1).join(', ')}.`;

let folder: string;
let stack: Stack;
const lines: string[] = [];
const secrets: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-takeover-'));
  stack = await startStack({
    folder,
    keep: false,
    port: 0,
    log: (name, line) => lines.push(`${name} ${line}`),
  });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function clientOf(person: string, format: Format = 'ndjson') {
  const { openid, session } = await sessionOf(stack, person);
  secrets.push(openid, session);
  return createClient({ url: stack.url, token: session, format });
}

/** Kills the function, and waits for every follower's end. */
async function killed(name: 'stream' | 'worker', followers: readonly Turn[]): Promise<void> {
  const began = performance.now();
  await stack.functions[name].kill();
  for (const follower of followers) expect(await follower.done).toMatchObject({ status: 'complete' });
  expect(followers.map((follower) => follower.text)).toEqual(followers.map(() => text));
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  console.log(
    `from kill -9 of the ${name} to the end of its turn at ${followers.length} followers: ${seconds} s`,
  );
}

it('of the function that runs a client’s turn', async () => {
  const [client, other] = [await clientOf('alice'), await clientOf('alice', 'sse')];
  const started = client.start({ conversation: 'c', text: `count to ${COUNT}` });
  const id = await started.id;
  const followers = [started, client.follow(id), other.follow(id), other.follow(id)];
  await until('words to be said', () => followers.every((follower) => follower.text.startsWith('1, 2, 3')));
  await killed('stream', followers);
  const late = other.follow(id);
  expect([(await late.done).status, late.text]).toEqual(['complete', text]);
  expect((await client.status(id)).attempt).toBe(2);
});

it('of the worker that runs a room’s turn', async () => {
  const client = await clientOf('alice');
  const body = JSON.stringify({ as: 'alice', room: 'dm', text: `count to ${COUNT}` });
  const said = await (await fetch(`${stack.url}/dev/say`, { method: 'POST', body })).json();
  const { turn } = said as { turn: string };
  const followers = [client.follow(turn), (await clientOf('alice', 'sse')).follow(turn)];
  await until('words to be said', () => followers.every((follower) => follower.text.startsWith('1, 2, 3')));
  await killed('worker', followers);
});

it('puts no token, session or word into a log', () => {
  expect(secrets.length).toBeGreaterThan(4);
  expect(lines.length).toBeGreaterThan(0);
  for (const secret of [...secrets, 'count to', '1, 2, 3']) expect(lines.join('\n')).not.toContain(secret);
});
