/**
 * Stands between two servers on a loopback port and lets everything through, until a test says otherwise: then requests
 * are seen, held, answered or cut, and the port itself can go down and come back.
 */
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';

export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

export type Passing = {
  readonly method: string;
  /** Undecoded, with its query. */
  readonly path: string;
  readonly body: Buffer;
  /** Lets it through. `cut`: the server behind did not answer. */
  forward(): Promise<Answer | 'cut'>;
};

/** What is answered. `cut`: nothing, the connection breaks. */
export type Rule = (passing: Passing) => Promise<Answer | 'cut'>;

export type Relay = {
  readonly url: string;
  /** Where requests go; before it is said they are cut. */
  to(target: string): void;
  /** The rule from now on; without one everything is let through as it comes. */
  rule(rule?: Rule): void;
  /** Nobody can connect any more. */
  down(): Promise<void>;
  /** The same port is open again. */
  up(): Promise<void>;
};

export async function openRelay(): Promise<Relay> {
  let target: string | undefined;
  let rule: Rule | undefined;
  const server = createServer(async (incoming, response) => {
    if (!rule) return streamThrough(target, incoming, response);
    const body = await buffer(incoming);
    const forward = () => forwarded(target, incoming, body);
    const answer = await rule({ method: incoming.method!, path: incoming.url!, body, forward });
    if (answer === 'cut') incoming.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    to: (next) => {
      target = next;
    },
    rule: (next) => {
      rule = next;
    },
    async down() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
    up: async () => void (await listen(port)),
  };
}

/** Byte for byte, in both directions, until one side ends. */
async function streamThrough(
  target: string | undefined,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (target === undefined) return void incoming.socket.destroy();
  const { method, headers } = incoming;
  const outgoing = request(new URL(incoming.url!, target), {
    method: method!,
    headers: { ...headers, connection: 'close' },
  });
  try {
    const [[answer]] = (await Promise.all([
      once(outgoing, 'response'),
      pipeline(incoming, outgoing),
    ])) as unknown as [[IncomingMessage]];
    const { connection: _, 'transfer-encoding': __, ...kept } = answer.headers;
    response.writeHead(answer.statusCode!, kept).flushHeaders();
    await pipeline(answer, response);
  } catch {
    incoming.socket.destroy();
  }
}

async function forwarded(
  target: string | undefined,
  incoming: IncomingMessage,
  body: Buffer,
): Promise<Answer | 'cut'> {
  if (target === undefined) return 'cut';
  const { host: _, connection: __, 'transfer-encoding': ___, ...headers } = incoming.headers;
  const outgoing = request(new URL(incoming.url!, target), { method: incoming.method!, headers });
  try {
    outgoing.end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { connection: ____, 'transfer-encoding': _____, ...kept } = answer.headers;
    return { status: answer.statusCode!, headers: kept, body: await buffer(answer) };
  } catch {
    return 'cut';
  }
}
