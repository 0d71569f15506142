/**
 * Builds what the functions share from their environment: clients, tables, queues, the Matrix client. Once per process,
 * at the first invocation, and again at the next one if that failed.
 */
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Clock, Random } from '../../runtime/clock.ts';
import { patient } from '../../runtime/patience.ts';
import type { Table } from '../../runtime/table.ts';
import { dynamoClient } from '../dynamodb/client.ts';
import { dynamoTable } from '../dynamodb/table.ts';
import { matrixHttpClient } from '../matrix-http/client.ts';
import { appserviceTokens } from '../secrets/tokens.ts';
import { sqsQueue } from '../sqs/queue.ts';
import { systemClock, systemRandom } from './clock.ts';
import type { Parts, Tables } from './compose.ts';
import { type Config, readEnv } from './env.ts';
import { type Telemetry, telemetry } from './telemetry.ts';

export type Assembled = {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly tables: Tables;
  readonly parts: Parts;
  readonly telemetry: Telemetry;
};

/** `service` names the function in logs and metrics. */
export function assemble(service: string): Assembled {
  const config = readEnv(process.env);
  const told = telemetry(service);
  const dynamo = dynamoClient();
  const tables = {
    turns: dynamoTable(dynamo, config.tables.turns),
    gate: dynamoTable(dynamo, config.tables.gate),
    memory: dynamoTable(dynamo, config.tables.memory),
  };
  const matrix = matrixHttpClient({
    homeserver: config.homeserver,
    userId: config.namespace.bot,
    token: async () => (await appserviceTokens(config.secret)).asToken,
  });
  const parts: Parts = {
    tables,
    clock: systemClock,
    random: systemRandom,
    matrix,
    queue: sqsQueue(sqsClient(), config.queues),
    tenant: config.tenant,
    namespace: config.namespace,
    gate: config.gate,
    principalOf: config.principalOf,
    keep: config.keep,
    count: told.count,
    log: told.log,
  };
  return {
    config,
    clock: systemClock,
    random: systemRandom,
    tables,
    parts,
    telemetry: told,
  };
}

/** The same tables, which repeat what was not answered for so long, ms: until the invocation is nearly over. */
export function patientTables(tables: Tables, patienceMs: number): Tables {
  const until = systemClock.monotonic() + patienceMs;
  const made = (table: Table) => patient(table, systemClock, systemRandom, () => until);
  return { turns: made(tables.turns), gate: made(tables.gate), memory: made(tables.memory) };
}

let client: SQSClient | undefined;

/** One client for all, made without reading any configuration: the worker's first act needs it. */
export function sqsClient(): SQSClient {
  client ??= new SQSClient({
    useQueueUrlAsEndpoint: false,
    requestHandler: { requestTimeout: 5_000, connectionTimeout: 1_000 },
  });
  return client;
}

/** Runs `make` at the first call and keeps what it made; a failure is not kept. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
