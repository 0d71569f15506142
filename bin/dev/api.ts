/**
 * What only development has, on loopback: `POST /dev/say` speaks in a room of the stand-in homeserver and tells what the
 * gate decided; `GET /dev/turns/{turn}/events` follows a turn as NDJSON; `POST /dev/kill/{function}` is `kill -9`; what
 * the page is shown is in `page-api.ts`. No other page is served.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { dynamoTable } from '../../functions/adapters/dynamodb/table.ts';
import { systemClock, systemRandom } from '../../functions/adapters/lambda/clock.ts';
import { keys } from '../../functions/gate/keys.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { isRecord } from '../../functions/matrix/json.ts';
import { parseCursor } from '../../functions/turns/cursor.ts';
import { attach } from '../../functions/turns/follow.ts';
import type { TurnQueue } from '../../functions/work/ports.ts';
import type { LocalDynamoDB } from './dynamodb.ts';
import type { Homeserver } from './homeserver/homeserver.ts';
import type { Seeded } from './homeserver/seed.ts';
import { MatrixFault } from './homeserver/world/fault.ts';
import type { LocalFunction } from './host/function.ts';
import { type PageApi, pageApi } from './page-api.ts';
import { BadSay, parseSay, speak } from './speak.ts';

export type DevApi = {
  readonly functions: Readonly<Record<string, LocalFunction>>;
  readonly dynamodb: LocalDynamoDB;
  readonly queue: Pick<TurnQueue, 'watch'>;
  readonly standIn?: { readonly homeserver: Homeserver; readonly seeded: Seeded };
  readonly server: string;
  /** The host's own, which is the page's origin. */
  readonly url: string;
};

const MAX_BODY = 100_000;
/** How long a decision is waited for; a room that can't be read is decided by a worker. */
const DECIDED_MS = 60_000;
const FOLLOWED_MS = 15 * 60_000;

class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export function devApi(dev: DevApi): RequestListener {
  const page = pageApi(
    dev.standIn && {
      world: dev.standIn.homeserver.world,
      people: Object.keys(dev.standIn.seeded.people),
      gate: dynamoTable(dev.dynamodb.client, 'gate'),
    },
  );
  return (request, response) => {
    route(dev, page, request, response).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      const status =
        error instanceof Refused || error instanceof MatrixFault
          ? error.status
          : error instanceof BadSay || error instanceof URIError
            ? 400
            : 500;
      json(response, status, { error: error instanceof Error ? error.message : 'failed' });
    });
  };
}

/** The names of this machine: a page elsewhere whose name was made to mean it sends its own. */
const HERE = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

async function route(
  dev: DevApi,
  page: PageApi,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, , first, second, third] = url.pathname.split('/');
  const { origin = dev.url, host = '' } = request.headers;
  if (origin !== dev.url || !HERE.test(host)) throw new Refused(403, 'not for other pages');
  if (request.method === 'POST' && first === 'say')
    return json(response, 200, await say(dev, await bodyOf(request)));
  if (request.method === 'GET' && first === 'turns' && second && third === 'events')
    return events(dev, second, url.searchParams.get('after') ?? '0', request, response);
  if (request.method === 'POST' && first === 'kill') {
    const killed = dev.functions[second ?? ''];
    if (!killed)
      throw new Refused(404, `no function ${second}; there are ${Object.keys(dev.functions).join(', ')}`);
    await killed.kill();
    return json(response, 200, {});
  }
  if (first === 'page') {
    const [, , , ...path] = url.pathname.split('/').map(decodeURIComponent);
    const shown = await page(request.method ?? 'GET', path);
    if (shown) return json(response, 200, shown);
  }
  throw new Refused(404, 'nothing here');
}

/** Speaks, and waits for the gate's decision. */
async function say(dev: DevApi, body: unknown): Promise<object> {
  if (!dev.standIn) throw new Refused(409, 'With a real homeserver, speak in your own client.');
  const { room, event } = speak(dev.standIn.homeserver.world, dev.server, parseSay(body));
  const table = dynamoTable(dev.dynamodb.client, 'gate');
  const until = Date.now() + DECIDED_MS;
  while (Date.now() < until) {
    const { decided } = recordOf(await table.get(keys.record(room, event)));
    if (decided) {
      const { reason, roomKind, turn, name } = decided;
      return { event, room, turn, decision: { respond: turn !== undefined, reason, roomKind, name } };
    }
    await systemClock.sleep(10);
  }
  throw new Refused(504, 'the gate has not decided');
}

async function events(
  dev: DevApi,
  turn: string,
  after: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const cursor = parseCursor(after);
  if (!cursor) throw new Refused(400, 'not a cursor');
  const table = dynamoTable(dev.dynamodb.client, 'turns');
  const gone = new AbortController();
  request.on('close', () => gone.abort());
  const nudge = (dead: string) => dev.queue.watch(dead, 0);
  const deps = { table, clock: systemClock, random: systemRandom, nudge };
  const options = { after: cursor, until: performance.now() + FOLLOWED_MS, signal: gone.signal };
  const attached = await attach(deps, turn, options);
  if (attached.kind !== 'following')
    throw new Refused(attached.kind === 'unknown' ? 404 : 400, attached.kind);
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  response.flushHeaders();
  for await (const line of attached.lines) response.write(`${JSON.stringify(line)}\n`);
  response.end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY) throw new Refused(413, 'too long');
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (isRecord(body)) return body;
  } catch {
    // Said below.
  }
  throw new Refused(400, 'not a JSON object');
}

function json(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(body));
}
