/**
 * The whole system on a real homeserver: Synapse with the registration file that `npm run registration` prints, and the
 * functions in processes of their own. Two relays stand between them, so that a test can cut either way.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { BOT, readTokens, type Tokens } from '../../bin/dev/folder.ts';
import { type Stack, startStack } from '../../bin/dev/stack.ts';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { connect } from '../../functions/matrix/connect.ts';
import { command } from './command.ts';
import { type Inside, lookInside } from './inside.ts';
import { type Person, register } from './person.ts';
import { openRelay, type Relay } from './relay.ts';
import { type Synapse, startSynapse } from './synapse/server.ts';

export type System = {
  readonly synapse: Synapse;
  readonly stack: Stack;
  readonly inside: Inside;
  /** Between Synapse and the webhook, and between the functions and Synapse. */
  readonly toWebhook: Relay;
  readonly toHomeserver: Relay;
  readonly bot: string;
  readonly tokens: Tokens;
  /** The path of the registration file. */
  readonly registration: string;
  /** Has the bot registered and the webhook pinged. */
  connect(): Promise<void>;
  /** A new account whose name begins like that. */
  person(name: string): Promise<Person>;
  /** The last lines that the functions printed. */
  lines(): string;
  stop(): Promise<void>;
};

const SERVER = 'localhost';
const KEPT_LINES = 60;

/** `env` is for the functions. The local model answers at full speed unless it says otherwise. */
export async function startSystem(env: Readonly<Record<string, string>> = {}): Promise<System> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'turnpike-system-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const toWebhook = await openRelay();
    const toHomeserver = await openRelay();
    const tokens = await readTokens(folder);
    const registration = await printRegistration(folder, toWebhook.url, tokens);
    const synapse = await startSynapse({ registrations: [registration], server: SERVER });
    stops.push(synapse.remove, toWebhook.down, toHomeserver.down);
    const lines: string[] = [];
    const stack = await startStack({
      folder,
      keep: false,
      port: 0,
      homeserver: { url: toHomeserver.url, server: SERVER },
      env: { LOCAL_MODEL_WORD_MS: '0', ...env },
      log: (name, line) => {
        lines.push(`${name} ${line}`);
        if (lines.length > KEPT_LINES) lines.shift();
      },
    });
    stops.push(stack.stop);
    toWebhook.to(stack.url);
    toHomeserver.to(synapse.url);
    const inside = lookInside(stack.env);
    stops.push(async () => inside.close());
    const bot = `@${BOT.localpart}:${SERVER}`;
    let people = 0;
    const system: System = {
      synapse,
      stack,
      inside,
      toWebhook,
      toHomeserver,
      bot,
      tokens,
      registration,
      async connect() {
        const client = matrixHttpClient({ homeserver: synapse.url, token: tokens.as_token, userId: bot });
        const connected = await connect(client, { bot, appserviceId: BOT.id, displayName: 'Agent' });
        if (!connected.ok) throw new Error(connected.problem);
      },
      person: (name) => register(synapse.url, `${name}${people++}`, bot),
      lines: () => lines.join('\n'),
      stop,
    };
    await system.connect();
    return system;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The system of one test file. What the functions printed last is shown behind a test that failed. */
export function testSystem(env?: Readonly<Record<string, string>>): () => System {
  let system: System | undefined;
  beforeAll(async () => {
    system = await startSystem(env);
  });
  afterAll(async () => {
    await system?.stop();
  });
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(system?.lines());
    system?.toWebhook.rule();
    system?.toHomeserver.rule();
  });
  return () => system!;
}

async function printRegistration(folder: string, url: string, tokens: Tokens): Promise<string> {
  const flags = ['--url', url, '--server', SERVER, '--bot', BOT.localpart, '--prefix', BOT.prefix];
  const printed = await command('registration', [...flags, '--id', BOT.id], {
    AS_TOKEN: tokens.as_token,
    HS_TOKEN: tokens.hs_token,
  });
  if (printed.status !== 0) throw new Error(`npm run registration: ${printed.err}`);
  const path = join(folder, 'appservice.yaml');
  await writeFile(path, printed.out);
  return path;
}
