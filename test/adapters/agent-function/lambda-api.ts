/**
 * As much of Lambda's API as `InvokeWithResponseStream` is: a loopback server that answers in AWS's event-stream framing,
 * with whatever a test makes the function say.
 * https://docs.aws.amazon.com/lambda/latest/api/API_InvokeWithResponseStream.html,
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html (the framing)
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';

/** One call, as the function's side sees it. */
export type Call = {
  readonly path: string;
  readonly payload: string;
  readonly response: ServerResponse;
  chunk(bytes: Uint8Array | string): void;
  /** `InvokeComplete`, and the end of the answer. */
  complete(error?: { readonly ErrorCode: string; readonly ErrorDetails?: string }): void;
};

export async function lambdaApi(handle: (call: Call) => Promise<void> | void) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const call = await callOf(request, response);
    calls.push(call);
    await handle(call);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    calls,
    /** What the SDK reads from its environment on Lambda. */
    env: {
      AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function callOf(request: IncomingMessage, response: ServerResponse): Promise<Call> {
  const begin = () => {
    if (!response.headersSent)
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
  };
  return {
    path: `${request.method} ${request.url}`,
    payload: await text(request),
    response,
    chunk(bytes) {
      begin();
      response.write(frame('PayloadChunk', 'application/octet-stream', Buffer.from(bytes as Uint8Array)));
    },
    complete(error = undefined) {
      begin();
      response.end(frame('InvokeComplete', 'application/json', Buffer.from(JSON.stringify(error ?? {}))));
    },
  };
}

/** Total length, length of the headers, their checksum; headers; payload; the checksum of it all. */
function frame(event: string, contentType: string, payload: Buffer): Buffer {
  const headers = Buffer.concat(
    Object.entries({ ':message-type': 'event', ':event-type': event, ':content-type': contentType }).map(
      ([name, value]) =>
        Buffer.concat([
          Buffer.of(name.length),
          Buffer.from(name),
          // A string, and its length in 16 bits.
          Buffer.of(7, value.length >> 8, value.length & 0xff),
          Buffer.from(value),
        ]),
    ),
  );
  const prelude = Buffer.concat([uint32(16 + headers.length + payload.length), uint32(headers.length)]);
  const sealed = Buffer.concat([prelude, uint32(crc32(prelude)), headers, payload]);
  return Buffer.concat([sealed, uint32(crc32(sealed))]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
