/**
 * The client-server API over HTTP on 127.0.0.1: finds the route, applies the faults, knows the caller, turns
 * `MatrixFault`s into answers. Bodies are bounded.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { authenticate, tokenIn } from './auth.ts';
import type { Faults } from './faults.ts';
import { allowOrigins, errorReply, gatewayReply, refusalReply, write } from './reply.ts';
import { DEV_PREFIX } from './routes/dev.ts';
import type { Reply, Route } from './routes/route.ts';
import { routeTable } from './routes/table.ts';
import { MatrixFault, tooLarge } from './world/fault.ts';
import type { World } from './world.ts';

export type Handler = {
  /** Answers one request; it never rejects. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Ends the connections of all calls that are under way, but for those that set faults. */
  disconnect(): void;
};

export type HandlerOptions = {
  readonly world: World;
  readonly routes: readonly Route[];
  readonly faults: Faults;
  readonly maxUploadBytes: number;
  /** Told of what went wrong inside, through no caller's fault. */
  readonly report: (error: unknown) => void;
};

const MAX_JSON_BYTES = 1_048_576;

export function createHandler({ world, routes, faults, maxUploadBytes, report }: HandlerOptions): Handler {
  const find = routeTable(routes);
  const underWay = new Set<Socket>();

  /** `undefined`: it took effect, but the answer is lost. */
  const replyTo = async (
    incoming: IncomingMessage,
    path: string,
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<Reply | undefined> => {
    const { route, params } = find(incoming.method ?? 'GET', path);
    const refusal = faults.refusal(route.call);
    if (refusal) return refusalReply(refusal.status, refusal.retryAfterMs);
    const token = tokenIn(incoming.headers.authorization, query);
    const requester = route.who === 'user' ? authenticate(world, token, query) : undefined;
    const bytes = await readBytes(incoming, route.call === 'upload' ? maxUploadBytes : MAX_JSON_BYTES);
    const contentType = incoming.headers['content-type'] ?? '';
    const request = { params, query, contentType, bytes, token, signal };
    const answer =
      route.who === 'user'
        ? await route.answer({ ...request, requester: requester! })
        : await route.answer(request);
    const loss = faults.loss(route.call);
    if (loss === undefined) return answer;
    return loss === '504' ? gatewayReply(504) : undefined;
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = '/', ...rest] = (incoming.url ?? '/').split('?');
    const isDev = path.startsWith(DEV_PREFIX);
    if (faults.isDown() && !isDev) return void incoming.socket.destroy();
    if (!isDev) {
      allowOrigins(response);
      underWay.add(incoming.socket);
      response.on('close', () => underWay.delete(incoming.socket));
    }
    if (incoming.method === 'OPTIONS') return void response.writeHead(204).end();
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    let reply: Reply | undefined;
    try {
      reply = await replyTo(incoming, path, new URLSearchParams(rest.join('?')), gone.signal);
    } catch (error) {
      if (!(error instanceof MatrixFault || gone.signal.aborted)) report(error);
      reply = errorReply(error);
    }
    if (response.destroyed) return;
    if (reply) write(response, reply);
    else incoming.socket.destroy();
  };
  return {
    handle,
    disconnect() {
      for (const socket of underWay) socket.destroy();
    },
  };
}

async function readBytes(incoming: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A stream destroyed when the loop ends early would take the connection along, and the refusal with it.
  for await (const chunk of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > limit) throw tooLarge('The body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export type ListeningServer = {
  readonly url: string;
  /** Ends every connection, also those that wait. */
  stop(): Promise<void>;
};

export async function listen({ handle }: Handler, port: number): Promise<ListeningServer> {
  const server = createServer((request, response) => void handle(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
