/**
 * The stream function behind a Function URL with response streaming: payload format 2.0 in, a prelude and a body out.
 * Lambda does not say when a client goes away; errors of the stream are listened for, and nothing is written after it is
 * destroyed.
 */
import { once as onceEvent } from 'node:events';
import type { Writable } from 'node:stream';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { isMatrixError } from '../../matrix/client.ts';
import { isJoined, mayRedact } from '../../matrix/membership.ts';
import { retryLater } from '../../stream/http-error.ts';
import type { Answer, Out, StreamDeps, StreamRequest } from '../../stream/ports.ts';
import { answer } from '../../stream/route.ts';
import { chooseAgent, chooseTools } from '../models/choose.ts';
import { accessOf } from './access-env.ts';
import { assemble, once, patientTables } from './assemble.ts';
import { composeWork } from './compose.ts';

/** A global of the managed runtime: https://docs.aws.amazon.com/lambda/latest/dg/config-rs-write-functions.html. */
declare const awslambda: {
  streamifyResponse(
    handler: (event: APIGatewayProxyEventV2, out: Writable, context: StreamContext) => Promise<void>,
  ): unknown;
  HttpResponseStream: {
    from(out: Writable, prelude: { statusCode: number; headers: Readonly<Record<string, string>> }): Writable;
  };
};

type StreamContext = Pick<Context, 'getRemainingTimeInMillis'>;

/** What is kept of an invocation for its last write, ms. */
const LAST_WRITE_MS = 5_000;

const setup = once(() => {
  const assembled = assemble('stream');
  const { config, clock } = assembled;
  return {
    ...assembled,
    agent: chooseAgent(config, clock),
    tools: chooseTools(config),
    access: accessOf(process.env, assembled),
  };
});

export const stream = awslambda.streamifyResponse(async (event, response, context) => {
  response.on('error', () => undefined);
  const remaining = () => context.getRemainingTimeInMillis();
  const { telemetry } = setup();
  try {
    const answered = await answer(composed(remaining), requestOf(event, remaining));
    await write(response, answered);
    if (answered.kind === 'json' && answered.status >= 400) telemetry.count(`Stream${answered.status}`);
  } finally {
    telemetry.flush();
  }
});

function composed(remaining: () => number): StreamDeps {
  const { config, parts, telemetry, agent, tools, access } = setup();
  const tables = patientTables(parts.tables, remaining() - LAST_WRITE_MS);
  const { matrix } = parts;
  return {
    access: { ...access, table: tables.turns },
    work: composeWork({ ...parts, tables, agent, tools, options: config.work }),
    mayFollow: (user, room) => unlessAway(isJoined(matrix, room, user)),
    mayStop: (user, room) => unlessAway(mayRedact(matrix, room, user)),
    startsPerMinute: config.startsPerMinute,
    keepS: config.keep.turnDays * 24 * 3_600,
    fail: telemetry.fail,
  };
}

/** Who may is the homeserver's to say: while it is away nobody may, but the client is to come back. */
async function unlessAway<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isMatrixError(error) ? retryLater('the homeserver does not answer') : error;
  }
}

const requestOf = (event: APIGatewayProxyEventV2, remaining: () => number): StreamRequest => ({
  method: event.requestContext.http.method,
  path: event.rawPath,
  query: new URLSearchParams(event.rawQueryString),
  headers: event.headers,
  body: () => Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8').toString('utf8'),
  address: event.requestContext.http.sourceIp,
  invocation: { remaining },
});

async function write(response: Writable, answered: Answer): Promise<void> {
  const statusCode = answered.kind === 'stream' ? 200 : answered.status;
  const type: Record<string, string> = answered.kind === 'json' ? { 'content-type': 'application/json' } : {};
  const headers = {
    ...type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...answered.headers,
  };
  const body = awslambda.HttpResponseStream.from(response, { statusCode, headers });
  // The prelude goes out with the first write, so there must be one.
  body.write(answered.kind === 'json' ? JSON.stringify(answered.body) : '');
  if (answered.kind === 'stream') await answered.run(outOf(body));
  await ended(body);
}

function outOf(body: Writable): Out {
  const gone = () => body.destroyed || body.writableEnded;
  return {
    write: (text) => void body.write(text),
    waiting: () => (gone() ? 0 : body.writableLength),
    async drained() {
      if (!gone() && body.writableNeedDrain)
        await Promise.race([onceEvent(body, 'drain'), onceEvent(body, 'close')]);
    },
    gone,
  };
}

async function ended(body: Writable): Promise<void> {
  if (body.destroyed) return;
  const closed = onceEvent(body, 'close').catch(() => undefined);
  await Promise.race([new Promise<void>((resolve) => body.end(() => resolve())), closed]);
}
