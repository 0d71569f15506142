/**
 * The whole system on one machine: the very functions of `functions/` in processes of their own, behind a webhook URL,
 * event sources and a schedule; DynamoDB, SQS and Secrets Manager as embedded stand-ins; a stand-in homeserver or a real
 * one. Everything listens on loopback only. `stop` drains and leaves nothing running.
 */
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '../../functions/adapters/lambda/clock.ts';
import { ENV } from '../../functions/adapters/lambda/env.ts';
import { sqsQueue } from '../../functions/adapters/sqs/queue.ts';
import { timeouts } from '../../lib/queues.ts';
import { startDynamoDB } from './dynamodb.ts';
import { BOT, readSessionKey, readSnapshot, readTokens, snapshotPath, writeRegistration } from './folder.ts';
import { type FrontDoor, openFrontDoor } from './front-door.ts';
import { type Homeserver, startHomeserver } from './homeserver/homeserver.ts';
import { type Seeded, seed } from './homeserver/seed.ts';
import { startEventSource } from './host/event-source.ts';
import { type LocalFunction, startFunction } from './host/function.ts';
import { startScheduler } from './host/scheduler.ts';
import { startSecrets } from './secrets.ts';
import { startQueues } from './sqs.ts';

export type StackOptions = {
  /** For the registration file and tokens; with `keep` also for tables, queues and rooms. */
  readonly folder: string;
  readonly keep: boolean;
  readonly port: number;
  /** A real homeserver's client API and its server name; without it the stand-in is started. */
  readonly homeserver?: { readonly url: string; readonly server: string };
  /** Variables for the functions, over the defaults of development. */
  readonly env?: Readonly<Record<string, string>>;
  /** The functions as built, instead of their sources. */
  readonly built?: string;
  readonly sweepEveryMs?: number;
  readonly homeserverStyle?: 'synapse' | 'dendrite';
  log(name: string, line: string): void;
};

export type FunctionName = 'webhook' | 'worker' | 'stream' | 'sweep';

export type Stack = {
  readonly url: string;
  readonly homeserverUrl: string;
  readonly server: string;
  readonly registrationPath: string;
  /** What the functions are given, for commands that need the same. */
  readonly env: Readonly<Record<string, string>>;
  readonly functions: Readonly<Record<FunctionName, LocalFunction>>;
  readonly standIn?: { readonly homeserver: Homeserver; readonly seeded: Seeded };
  sweep(): Promise<void>;
  stop(): Promise<void>;
};

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const SERVER = 'localhost';
const DEFAULTS = {
  MATRIX_GROUP_ROOMS: 'gate',
  [ENV.localModelWordMs]: '25',
  POWERTOOLS_METRICS_NAMESPACE: 'Turnpike',
};

export async function startStack(options: StackOptions): Promise<Stack> {
  const { folder, keep, log } = options;
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse())
      await one().catch((error: unknown) => log('host', String(error)));
  };
  try {
    // The port first: if it is taken, nothing else is worth starting.
    const front: FrontDoor = await openFrontDoor(options.port);
    stops.push(front.stop);
    const tokens = await readTokens(folder);
    const server = options.homeserver?.server ?? SERVER;
    const { path, registration } = await writeRegistration(folder, front.url, server, tokens);
    const kept = (name: string) => (keep ? { folder: join(folder, name) } : {});
    const dynamodb = await startDynamoDB(kept('dynamodb'));
    stops.push(dynamodb.stop);
    const queues = await startQueues(kept('sqs'));
    stops.push(queues.stop);
    const secrets = await startSecrets({ ...tokens, session_key: await readSessionKey(folder) });
    stops.push(secrets.stop);
    const standIn = options.homeserver ? undefined : await startStandIn(options, registration);
    if (standIn) stops.push(() => stopStandIn(standIn.homeserver, keep ? folder : undefined));
    const homeserverUrl = options.homeserver?.url ?? standIn!.homeserver.url;
    const env = {
      ...DEFAULTS,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb.endpoint,
      AWS_ENDPOINT_URL_SQS: queues.endpoint,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.endpoint,
      [ENV.turnsTable]: 'turns',
      [ENV.gateTable]: 'gate',
      [ENV.memoryTable]: 'memory',
      [ENV.turnsQueue]: queues.url('turns'),
      [ENV.watchdogQueue]: queues.url('watchdog'),
      [ENV.secret]: secrets.arn,
      [ENV.homeserver]: homeserverUrl,
      [ENV.bot]: `@${BOT.localpart}:${server}`,
      [ENV.prefix]: BOT.prefix,
      [ENV.appservice]: BOT.id,
      ALLOWED_ORIGINS: front.url,
      ...options.env,
    };
    const made = (name: FunctionName) =>
      startFunction({
        name,
        handler: options.built
          ? join(options.built, name, 'index.mjs')
          : join(root, 'functions', `${name}.ts`),
        env: { ...env, POWERTOOLS_SERVICE_NAME: name },
        timeoutMs: timeouts[name] * 1_000,
        start: 'now',
        log,
      });
    const functions = {
      webhook: made('webhook'),
      worker: made('worker'),
      stream: made('stream'),
      sweep: made('sweep'),
    };
    stops.push(() => Promise.all(Object.values(functions).map((one) => one.stop())));
    const queue = sqsQueue(queues.client, { turns: queues.url('turns'), watchdog: queues.url('watchdog') });
    front.open({
      webhook: functions.webhook,
      stream: functions.stream,
      functions,
      dynamodb,
      queue,
      ...(standIn && { standIn }),
      server,
    });
    const source = { queues, log: (line: string) => log('queues', line) };
    const sources = (['turns', 'watchdog'] as const).flatMap((queue) => [
      startEventSource({ ...source, queue, function: functions.worker, maxConcurrency: 50 }),
      startEventSource({ ...source, queue, kind: 'dead', function: functions.sweep }),
    ]);
    stops.push(() => Promise.all(sources.map((one) => one.stop())));
    const jobs = [{ name: 'sweep', function: functions.sweep, everyMs: options.sweepEveryMs ?? 60_000 }];
    const scheduler = startScheduler({ jobs, log: (line) => log('schedule', line) });
    stops.push(() => scheduler.stop());
    return {
      url: front.url,
      homeserverUrl,
      server,
      registrationPath: path,
      env,
      functions,
      ...(standIn && { standIn }),
      sweep: async () => void (await scheduler.trigger('sweep')),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startStandIn(
  options: StackOptions,
  registration: { url: string | null } & Record<string, unknown>,
) {
  const homeserver = await startHomeserver({
    serverName: SERVER,
    registration: registration as never,
    clock: systemClock,
    random: systemRandom,
    backoffScale: 0.25,
    snapshot: await readSnapshot(options.keep ? options.folder : undefined),
    ...(options.homeserverStyle && { style: options.homeserverStyle }),
  });
  return { homeserver, seeded: seed(homeserver.world) };
}

async function stopStandIn(homeserver: Homeserver, folder: string | undefined): Promise<void> {
  await homeserver.stop();
  if (folder !== undefined) await writeFile(snapshotPath(folder), JSON.stringify(homeserver.world));
}
