import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bundle, bundle, functionNames, MAX_START_BYTES } from '../bin/build/bundle.ts';
import { startStack } from '../bin/dev/stack.ts';
import { ENV } from '../functions/adapters/lambda/env.ts';

const run = promisify(execFile);

/** Far from the project's node_modules, as on Lambda. */
let folder: string;
let bundles: Bundle[];

/** Imports a bundle, hands its handler the event if there is one, and prints what came of it. */
const CALLER = `
const [path, event] = process.argv.slice(2);
globalThis.awslambda = { streamifyResponse: (handler) => handler };
const { handler } = await import(path);
const context = { getRemainingTimeInMillis: () => 30_000 };
const answer = event && (await handler(JSON.parse(event), context));
console.log(JSON.stringify({ node: process.versions.node, handler: typeof handler, answer }));
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-build-'));
  bundles = await Promise.all(functionNames.map((name) => bundle(name, folder)));
  await writeFile(join(folder, 'caller.mjs'), CALLER);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function call(name: string, event?: object, env: Record<string, string> = {}) {
  const path = join(folder, name, 'index.mjs');
  const args = [join(folder, 'caller.mjs'), path, ...(event ? [JSON.stringify(event)] : [])];
  const { stdout } = await run(process.execPath, args, { cwd: folder, env });
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as { node: string; handler: string; answer?: object };
}

describe('a bundle', () => {
  it('starts with little', () => {
    for (const { name, entryBytes, startBytes } of bundles) {
      expect(entryBytes, name).toBeGreaterThan(100_000);
      expect(startBytes, name).toBeLessThanOrEqual(MAX_START_BYTES);
    }
  });

  it('of the webhook is one file, and no renderer in it', async () => {
    expect((await readdir(join(folder, 'webhook'))).sort()).toEqual(['index.mjs', 'index.mjs.map']);
    expect(bundles.find(({ name }) => name === 'webhook')!.entryBytes).toBeLessThan(400_000);
  });

  it('of the worker loads the renderer when it delivers', async () => {
    const files = await readdir(join(folder, 'worker'));
    expect(files.filter((file) => /^reply-\w+\.mjs$/.test(file))).toHaveLength(1);
    expect(bundles.find(({ name }) => name === 'worker')!.laterBytes).toBeGreaterThan(50_000);
  });

  it.each(functionNames)('of %s loads by itself, on the Node.js that it is built for', async (name) => {
    expect(await call(name)).toEqual({ node: expect.stringMatching(/^24\./), handler: 'function' });
  });
});

describe('a bundle on its own', () => {
  const credentials = {
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
  };
  const config = {
    [ENV.turnsTable]: 'turns',
    [ENV.gateTable]: 'gate',
    [ENV.memoryTable]: 'memory',
    [ENV.turnsQueue]: 'https://sqs.eu-west-1.amazonaws.com/000000000000/turns.fifo',
    [ENV.watchdogQueue]: 'https://sqs.eu-west-1.amazonaws.com/000000000000/watchdog',
    [ENV.secret]: 'arn:aws:secretsmanager:eu-west-1:000000000000:secret:appservice',
    [ENV.homeserver]: 'http://127.0.0.1:9',
    [ENV.bot]: '@agent:example.org',
    [ENV.prefix]: 'agent_',
    [ENV.appservice]: 'turnpike',
  };
  const asked: { target: unknown; signed: unknown; session: unknown }[] = [];
  let aws: Server;
  let url: string;

  beforeAll(async () => {
    aws = createServer((request, response) => {
      const { 'x-amz-target': target, authorization, 'x-amz-security-token': session } = request.headers;
      asked.push({ target, signed: authorization?.split(',')[0], session });
      request.resume();
      const SecretString = JSON.stringify({ as_token: 'as', hs_token: 'hs' });
      response
        .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(target === 'secretsmanager.GetSecretValue' ? { SecretString } : {}));
    }).listen(0, '127.0.0.1');
    await once(aws, 'listening');
    url = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    aws.closeAllConnections();
    aws.close();
  });

  const signedFor = (service: string) =>
    expect.stringMatching(
      new RegExp(`^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/\\d{8}/eu-west-1/${service}/aws4_request$`),
    );

  it('signs with the credentials of its environment: the webhook reads its tokens', async () => {
    asked.length = 0;
    const ping = {
      rawPath: '/_matrix/app/v1/ping',
      rawQueryString: '',
      headers: { authorization: 'Bearer hs' },
      requestContext: { http: { method: 'POST' } },
      isBase64Encoded: false,
    };
    const { answer } = await call('webhook', ping, { ...credentials, ...config, AWS_ENDPOINT_URL: url });
    expect(answer).toMatchObject({ statusCode: 200, body: '{}' });
    expect(asked).toEqual([
      { target: 'secretsmanager.GetSecretValue', signed: signedFor('secretsmanager'), session: 'session' },
    ]);
  });

  it('signs with the credentials of its environment: the worker hides its message', async () => {
    asked.length = 0;
    const message = {
      messageId: '1',
      receiptHandle: 'receipt',
      body: 'of no known kind',
      attributes: { MessageGroupId: 'group', SentTimestamp: '0' },
      eventSourceARN: 'arn:aws:sqs:eu-west-1:000000000000:turns.fifo',
    };
    const { answer } = await call(
      'worker',
      { Records: [message] },
      { ...credentials, ...config, AWS_ENDPOINT_URL: url },
    );
    expect(answer).toEqual({ batchItemFailures: [] });
    expect(asked).toEqual([
      { target: 'AmazonSQS.ChangeMessageVisibility', signed: signedFor('sqs'), session: 'session' },
    ]);
  });
});

describe('the bundles together', () => {
  it('answer a message, from the homeserver to the room', async () => {
    const lines: string[] = [];
    const stack = await startStack({
      folder: join(folder, 'stack'),
      keep: false,
      port: 0,
      built: folder,
      env: { [ENV.localModelWordMs]: '0' },
      log: (name, line) => lines.push(`${name} ${line}`),
    });
    try {
      const body = JSON.stringify({ as: 'alice', room: 'dm', text: 'hello **there**' });
      const said = (await (await fetch(`${stack.url}/dev/say`, { method: 'POST', body })).json()) as {
        room: string;
        turn: string;
      };
      const followed = await followToItsEnd(stack.url, said.turn);
      expect(followed, lines.join('\n')).toMatchObject({ type: 'turn_status', status: 'complete' });
      const told = stack
        .standIn!.homeserver.world.timeline(said.room)
        .filter(({ type, sender }) => type === 'm.room.message' && sender === '@agent:localhost');
      expect(told).toHaveLength(1);
      expect(told[0]!.content).toMatchObject({
        body: 'alice said: hello **there**',
        formatted_body: 'alice said: hello <strong>there</strong>',
      });
    } finally {
      await stack.stop();
    }
  });

  /** The last line. A turn is known a moment after its decision. */
  async function followToItsEnd(url: string, turn: string): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      const response = await fetch(`${url}/dev/turns/${turn}/events`);
      const text = await response.text();
      if (response.ok) return JSON.parse(text.trim().split('\n').at(-1)!);
      if (response.status !== 404 || tries === 100) throw new Error(`${response.status} ${text}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
});
