/**
 * The `awslambda` global of the managed Node.js runtime, as far as handlers can tell: the mode is a mark on the
 * handler, a prelude goes out just before the first `write`, and `end` alone, even with data, sends none.
 * Source: the runtime interface client 4, https://github.com/aws/aws-lambda-nodejs-runtime-interface-client.
 */
import { Writable } from 'node:stream';

export const preludeContentType = 'application/vnd.awslambda.http-integration-response';
/** So many NULs stand between the prelude, a JSON text, and the body. */
export const preludeEnd = new Uint8Array(8);

const streaming = Symbol.for('aws.lambda.runtime.handler.streaming');
const beforeFirstWrite = Symbol('before the first write');

export type ResponseStream = Writable & {
  setContentType(type: string): void;
  [beforeFirstWrite]?: (write: (chunk: string | Uint8Array) => void) => void;
};

/** Adds to the global what is there already: the SDK keeps its invocation store in it. */
export function installAwslambda(): void {
  Object.assign(globalThis, {
    awslambda: {
      ...(globalThis as { awslambda?: object }).awslambda,
      streamifyResponse: (handler: object) => Object.assign(handler, { [streaming]: 'response' }),
      HttpResponseStream: { from: withPrelude },
    },
  });
}

export const isStreaming = (handler: object): boolean =>
  (handler as { [streaming]?: unknown })[streaming] === 'response';

function withPrelude(stream: ResponseStream, prelude: object): ResponseStream {
  stream.setContentType(preludeContentType);
  const text = JSON.stringify(prelude);
  stream[beforeFirstWrite] = (write) => {
    write(text);
    write(preludeEnd);
  };
  return stream;
}

/** The stream a streaming handler writes to. Each write that holds bytes is sent on as one chunk, one at a time. */
export function responseStream(send: (bytes: Uint8Array, contentType: string) => Promise<void>): {
  readonly stream: ResponseStream;
  contentType(): string;
} {
  let contentType = 'application/octet-stream';
  let begun = false;
  const inner = new Writable({
    write(bytes: Buffer, _encoding, done) {
      if (bytes.length === 0) done();
      else send(bytes, contentType).then(() => done(), done);
    },
  });
  const write = inner.write.bind(inner) as (chunk: unknown, ...rest: unknown[]) => boolean;
  const stream: ResponseStream = Object.assign(inner, {
    setContentType(type: string) {
      if (begun) throw new Error('Cannot set content-type, too late.');
      contentType = type;
    },
    write(chunk: unknown, ...rest: unknown[]) {
      if (!begun) stream[beforeFirstWrite]?.(write);
      begun = true;
      const plain = typeof chunk === 'string' || chunk instanceof Uint8Array;
      return write(plain ? chunk : JSON.stringify(chunk), ...rest);
    },
  });
  return { stream, contentType: () => contentType };
}
