/** An application service that writes down what it is told and answers what a test says. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: { events?: { event_id: string; type: string; content: Record<string, unknown> }[] } & Record<
    string,
    unknown
  >;
};

type Answer = { readonly status: number; readonly body: string } | 'hang' | 'close' | 'slowly';

export type Receiver = {
  readonly url: string;
  readonly received: Received[];
  transactions(): Received[];
  /** `hang` leaves calls without an answer, `close` ends their connection; `slowly` sends the headers only. */
  answerWith(answer: Answer): void;
  /** Sends the rest of an answer begun `slowly`. */
  finish(): void;
  stop(): Promise<void>;
};

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const begun: ServerResponse[] = [];
  let answer: Answer = { status: 200, body: '{}' };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    received.push({
      method: request.method ?? '',
      url: request.url ?? '',
      authorization: request.headers.authorization,
      body: text === '' ? {} : JSON.parse(text),
    });
    if (answer === 'hang') return;
    if (answer === 'close') return void request.socket.destroy();
    if (answer === 'slowly') {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      return void begun.push(response);
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    transactions: () => received.filter(({ url }) => url.includes('/transactions/')),
    answerWith: (next) => {
      answer = next;
    },
    finish() {
      for (const response of begun.splice(0)) response.end('}');
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
