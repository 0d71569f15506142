/**
 * `npm run dev`: starts the whole system on this machine, says on one screen where everything is and what to type next,
 * and stops it cleanly on Ctrl-C.
 */
import { createWriteStream, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ENV, LOOPBACK } from '../../functions/adapters/lambda/env.ts';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { connect } from '../../functions/matrix/connect.ts';
import { BOT, readTokens } from './folder.ts';
import { PortInUse } from './front-door.ts';
import { type Stack, startStack } from './stack.ts';

const USAGE = `Runs Turnpike on this machine.

  npm run dev -- [options]

  --port N           the dev host's port (7400)
  --data DIR         keep tables, queues and rooms in that folder over a restart
  --homeserver URL   a real homeserver's client API, instead of the stand-in
  --server NAME      its server_name, as in @alice:NAME
  --style NAME       how the stand-in pushes: synapse (as is) or dendrite
  --agent URL        your own agent, on this machine, instead of the local model
  --help
`;

const RETRY_MS = 5_000;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '7400' },
      data: { type: 'string' },
      homeserver: { type: 'string' },
      server: { type: 'string' },
      style: { type: 'string', default: 'synapse' },
      agent: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(USAGE);
  if (values.homeserver !== undefined && values.server === undefined)
    return say('With --homeserver also give --server, its server_name.\n', 1);
  if (values.agent !== undefined && !LOOPBACK.test(values.agent))
    return say('--agent takes a URL of this machine, such as http://127.0.0.1:7500.\n', 1);
  const folder = resolve(values.data ?? '.turnpike');
  mkdirSync(folder, { recursive: true });
  const logPath = join(folder, 'dev.log');
  const log = createWriteStream(logPath, { flags: 'a' });
  try {
    const stack = await startStack({
      folder,
      keep: values.data !== undefined,
      port: Number(values.port),
      ...(values.homeserver !== undefined && {
        homeserver: { url: values.homeserver, server: values.server! },
      }),
      ...(values.agent !== undefined && { env: { [ENV.agentUrl]: values.agent } }),
      homeserverStyle: values.style === 'dendrite' ? 'dendrite' : 'synapse',
      log: (name, line) => void log.write(`${name} ${line}\n`),
    });
    say(screen(stack, logPath));
    const stopped = interrupted();
    await connected(stack, folder, stopped.signal);
    await stopped.promise;
    say('\nStopping …\n');
    await stack.stop();
    return say('Stopped.\n');
  } catch (error) {
    if (error instanceof PortInUse) return say(`${error.message}\n`, 1);
    throw error;
  } finally {
    log.end();
  }
}

/** Makes the bot ready, and says what is wrong until it is. */
async function connected(stack: Stack, folder: string, signal: AbortSignal): Promise<void> {
  const { as_token: token } = await readTokens(folder);
  const bot = `@${BOT.localpart}:${stack.server}`;
  const client = matrixHttpClient({ homeserver: stack.homeserverUrl, token, userId: bot });
  let said = '';
  while (!signal.aborted) {
    const outcome = await connect(client, { bot, appserviceId: BOT.id, displayName: 'Agent', signal });
    if (outcome.ok)
      return void say(`Connected: the homeserver reaches the webhook in ${outcome.pingMs} ms.\n`);
    if (outcome.problem !== said && !signal.aborted) say(`Not connected yet: ${outcome.problem}\n`);
    said = outcome.problem;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RETRY_MS);
      signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
    });
  }
}

function screen(stack: Stack, logPath: string): string {
  const where = [
    `Turnpike runs: open ${stack.url}/`,
    '',
    `  page, webhook  ${stack.url}`,
    `  homeserver     ${stack.homeserverUrl}${stack.standIn ? ' (stand-in)' : ''}`,
    `  registration   ${stack.registrationPath}`,
    `  agent          ${stack.env[ENV.agentUrl] ?? 'the local model'}`,
    `  log            ${logPath}`,
    '',
  ];
  const next = stack.standIn
    ? [
        'In a second terminal:',
        '',
        '  npm run say -- "hello"                                      a direct room',
        '  npm run say -- --as bob --room lobby "@agent hello"         a group, mentioned',
        '  npm run say -- --as carol --room lobby "nice weather"       a group, not meant for the agent',
        '',
      ]
    : [
        'Put the registration file into your homeserver’s configuration, restart it, and invite',
        `@${BOT.localpart}:${stack.server}.`,
        '',
      ];
  return `${[...where, ...next, 'Ctrl-C stops it.'].join('\n')}\n\n`;
}

function interrupted(): { readonly promise: Promise<void>; readonly signal: AbortSignal } {
  const controller = new AbortController();
  const promise = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        controller.abort();
        resolve();
      });
  });
  return { promise, signal: controller.signal };
}

function say(text: string, status = 0): number {
  (status === 0 ? process.stdout : process.stderr).write(text);
  return status;
}

process.exitCode = await main(process.argv.slice(2));
