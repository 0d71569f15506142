/**
 * The one port of the dev host: the URLs of the webhook and of the streams, the page, and under `/dev` what only
 * development has. Opened before there is anything behind it, so that a port in use is known first; until then everything
 * is 503.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DevApi, devApi } from './api.ts';
import type { LocalFunction } from './host/function.ts';
import { functionUrl } from './host/function-url.ts';
import { servePage } from './page/serve.ts';

export class PortInUse extends Error {
  override readonly name = 'PortInUse';
  constructor(port: number) {
    super(`Port ${port} is in use. Stop what uses it, or choose another with --port.`);
  }
}

/** The paths of the page. */
const PAGE = /^\/($|\?|assets\/)/;
/** The paths of the stream function. */
const STREAMS = /^\/(session|turns|chat)(\/|\?|$)/;

export type FrontDoor = {
  readonly url: string;
  open(
    behind: Omit<DevApi, 'url'> & { readonly webhook: LocalFunction; readonly stream: LocalFunction },
  ): void;
  stop(): Promise<void>;
};

export async function openFrontDoor(port: number): Promise<FrontDoor> {
  let answer: RequestListener = (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? new PortInUse(port) : error;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    open(behind) {
      const webhook = functionUrl({ function: behind.webhook, invokeMode: 'BUFFERED' });
      const stream = functionUrl({ function: behind.stream, invokeMode: 'RESPONSE_STREAM' });
      const dev = devApi({ ...behind, url });
      const page = servePage();
      answer = (request: IncomingMessage, response: ServerResponse) => {
        const path = request.url ?? '/';
        if (PAGE.test(path)) page(request, response);
        else if (path.startsWith('/dev/')) dev(request, response);
        else if (STREAMS.test(path)) stream(request, response);
        else webhook(request, response);
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
