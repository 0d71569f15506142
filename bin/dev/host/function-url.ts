/**
 * A Function URL: HTTP requests become invocations, one each, and the answers become HTTP again. It has no
 * authorisation (type NONE) and adds no CORS headers. A client that goes away does not stop its function.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type LocalFunction, maxPayload } from './function.ts';
import { answerBuffered, answerError, answerFunctionError, holdBack, streamedAnswer } from './url-answer.ts';
import { urlEvent } from './url-event.ts';
import { drain } from './waiting.ts';

export type FunctionUrlOptions = {
  readonly function: Pick<LocalFunction, 'invoke' | 'invokeStream'>;
  readonly invokeMode: 'BUFFERED' | 'RESPONSE_STREAM';
  /** The path it is mounted on, which the function does not see: `/webhook`. Without a slash at its end. */
  readonly mountedOn?: string;
  /** A streamed chunk of fewer bytes is released by the next one only, as on Lambda. By default none is held. */
  readonly holdBackBelow?: number;
};

/** A request handler to mount on a server. */
export function functionUrl(options: FunctionUrlOptions): RequestListener {
  return (request, response) => {
    handle(options, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else answerFunctionError(response);
    });
  };
}

/** A server of its own, on a loopback port. `stop` lets open requests end for up to `graceMs`. */
export async function startFunctionUrl(
  options: FunctionUrlOptions & { readonly port?: number },
): Promise<{ readonly url: string; stop(graceMs?: number): Promise<void> }> {
  const listener = functionUrl(options);
  const open = new Set<Promise<void>>();
  const server = createServer((request, response) => {
    const answered = new Promise<void>((resolve) => void response.once('close', resolve));
    open.add(answered);
    void answered.then(() => open.delete(answered));
    listener(request, response);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop(graceMs = 5_000) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await drain(open, graceMs);
      server.closeAllConnections();
      await closed;
    },
  };
}

async function handle(
  options: FunctionUrlOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? '/';
  const path = target.slice(options.mountedOn?.length ?? 0);
  const body = await readBody(request);
  const event = body && urlEvent(request, path.startsWith('/') ? path : `/${path}`, body);
  if (!event || Buffer.byteLength(JSON.stringify(event)) > maxPayload)
    return answerError(response, 413, `Request must be smaller than ${maxPayload} bytes`);

  if (options.invokeMode === 'BUFFERED') {
    const outcome = await options.function.invoke(event);
    if (outcome.status === 'error') answerFunctionError(response);
    else answerBuffered(response, outcome.payload);
    return;
  }
  const answer = streamedAnswer(response);
  const held = holdBack(answer.sink, options.holdBackBelow ?? 0);
  const outcome = await options.function.invokeStream(event, held.sink);
  await held.release();
  answer.end(outcome);
}

/** Undefined when it is too long, which is known for certain since escaping only makes it longer. Rejects when cut. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= maxPayload) chunks.push(chunk);
  }
  return length <= maxPayload ? Buffer.concat(chunks) : undefined;
}
