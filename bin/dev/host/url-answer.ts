/**
 * A function's answer as a Function URL gives it to the client: a buffered payload, or chunks as they are written.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-response-payload.
 */
import type { ServerResponse } from 'node:http';
import { preludeContentType, preludeEnd } from './awslambda.ts';
import type { Sink, StreamOutcome } from './process.ts';

type Head = {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly cookies?: readonly string[];
};
type Buffered = Head & { readonly body?: string; readonly isBase64Encoded?: boolean };

/** A prelude longer than this is none. */
const maxPrelude = 64 * 1024;

/** Lengths and connections are the server's own affair. */
const hopByHop = new Set(['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding']);

export function answerError(response: ServerResponse, status: number, message: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ Message: message }));
}

export const answerFunctionError = (response: ServerResponse): void =>
  answerError(response, 502, 'Internal Server Error');

/** JSON with a `statusCode` is a response; any other JSON is the body of one. */
export function answerBuffered(response: ServerResponse, payload: string): void {
  const answer = parse(payload);
  const {
    body = '',
    isBase64Encoded,
    ...head
  }: Buffered = isRecord(answer) && 'statusCode' in answer ? answer : { body: payload };
  if (answer === undefined || typeof body !== 'string' || !setHead(response, head, 'application/json'))
    answerFunctionError(response);
  else response.end(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'));
}

/**
 * A response written chunk by chunk. A failure before the first byte is a 502; after it the body ends, cleanly for
 * HTTP, and only the trailers tell. When the client has gone, chunks are dropped and the function is not told.
 * An ended stream that had a prelude but no write is a 502 here; AWS lets the client wait for minutes.
 */
export function streamedAnswer(response: ServerResponse): {
  readonly sink: Sink;
  end(outcome: StreamOutcome): void;
} {
  let prelude: Buffer = Buffer.alloc(0);
  const write = async (bytes: Uint8Array) => {
    if (bytes.length === 0 || response.writableEnded || response.destroyed) return;
    await new Promise<void>((resolve) => void response.write(bytes, () => resolve()));
  };
  return {
    sink(bytes, contentType) {
      if (response.headersSent) return write(bytes);
      if (contentType !== preludeContentType) {
        response.setHeader('content-type', contentType);
        return write(bytes);
      }
      prelude = Buffer.concat([prelude, bytes]);
      const at = prelude.indexOf(preludeEnd);
      if (at < 0 && prelude.length <= maxPrelude) return;
      const head = at < 0 ? undefined : parse(prelude.toString('utf8', 0, at));
      if (!isRecord(head) || !setHead(response, head, 'application/octet-stream'))
        return answerFunctionError(response);
      response.flushHeaders();
      return write(prelude.subarray(at + preludeEnd.length));
    },
    end(outcome) {
      if (response.writableEnded) return;
      if (!response.headersSent) {
        if (outcome.status === 'error' || outcome.contentType === preludeContentType)
          return answerFunctionError(response);
        response.setHeader('content-type', outcome.contentType);
      }
      if (outcome.status === 'error')
        response.addTrailers({ 'Lambda-Runtime-Function-Error-Type': printable(outcome.error.errorType) });
      response.end();
    },
  };
}

/** Holds each chunk shorter than `below` bytes until the next write, as Lambda is reported to do. */
export function holdBack(sink: Sink, below: number): { readonly sink: Sink; release(): Promise<void> } {
  let held: [Uint8Array, string] | undefined;
  const release = async () => {
    const waiting = held;
    held = undefined;
    if (waiting) await sink(...waiting);
  };
  return {
    release,
    async sink(bytes, contentType) {
      await release();
      if (bytes.length < below) held = [bytes, contentType];
      else await sink(bytes, contentType);
    },
  };
}

/** False, with nothing set, when the function's head cannot be one. */
function setHead(response: ServerResponse, head: Head, contentType: string): boolean {
  const { statusCode = 200, headers = {}, cookies = [] } = head;
  if (!Number.isInteger(statusCode) || statusCode < 200 || statusCode > 599) return false;
  try {
    response.statusCode = statusCode;
    response.setHeader('content-type', contentType);
    for (const [name, value] of Object.entries(headers))
      if (!hopByHop.has(name.toLowerCase())) response.setHeader(name, String(value));
    if (cookies.length > 0) response.appendHeader('set-cookie', cookies);
    return true;
  } catch {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    return false;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?');
