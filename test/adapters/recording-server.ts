/** A homeserver on a loopback port that keeps what it is asked, and answers as a test says. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { matrixHttpClient } from '../../functions/adapters/matrix-http/client.ts';
import { isMatrixError, type MatrixError } from '../../functions/matrix/client.ts';

export const TOKEN = 'syt_very_secret';
export const room = '!4CvHwFiEjxu8hYU7HJ9oVHDacmVtpt0fub09mBs0gg8';

export type Seen = {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization?: string;
  body: unknown;
};
export type Answer = (response: ServerResponse) => void;

/** Runs for the tests of one file; `seen` begins anew with each. */
export function recordingServer() {
  const state = { origin: '', seen: [] as Seen[], answer: (() => undefined) as Answer };
  let server: Server;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { pathname, searchParams } = new URL(request.url!, state.origin);
      const { authorization } = request.headers;
      const text = Buffer.concat(chunks).toString();
      state.seen.push({
        method: request.method!,
        path: pathname,
        query: searchParams,
        ...(authorization !== undefined && { authorization }),
        body: text === '' ? undefined : (JSON.parse(text) as unknown),
      });
      state.answer(response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    state.seen = [];
  });
  const clientWith = (options: object = {}) =>
    matrixHttpClient({ homeserver: state.origin, token: TOKEN, userId: '@bot:hs', ...options });
  return { state, clientWith };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const page =
  (status: number, text = '<html>nginx</html>', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text);

/** What a call fails with; fails itself if it does not. */
export async function failure(call: Promise<unknown>): Promise<MatrixError> {
  try {
    await call;
  } catch (error) {
    if (isMatrixError(error)) return error;
    throw error;
  }
  throw new Error('the call did not fail');
}

/** An event as `/messages` answers it, without its room. */
export const event = (event_id: string, more: object = {}) => ({
  event_id,
  type: 'm.room.message',
  sender: '@alice:hs',
  content: { msgtype: 'm.text', body: 'hello' },
  origin_server_ts: 5,
  ...more,
});
