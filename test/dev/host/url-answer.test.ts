import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { LocalFunction } from '../../../bin/dev/host/function.ts';
import { send, testUrls } from './urls.ts';

const { serve, stream, buffered, streaming } = testUrls();

const answered = (url: string, answer: unknown) =>
  send(`${url}/?answer=${encodeURIComponent(JSON.stringify(answer))}`);

/** The chunks of a body, and when each came. */
async function read(response: IncomingMessage): Promise<{ text: string; at: number }[]> {
  const chunks: { text: string; at: number }[] = [];
  for await (const chunk of response) chunks.push({ text: String(chunk), at: performance.now() });
  return chunks;
}

describe('a buffered answer', () => {
  it('with a statusCode is a response', async () => {
    const response = await answered(await serve(), {
      statusCode: 418,
      headers: { 'X-Own': 1, 'Content-Type': 'text/plain', 'content-length': '999', connection: 'close' },
      cookies: ['a=1', 'b=2'],
      body: 'tea',
    });
    expect(response).toMatchObject({
      statusCode: 418,
      headers: {
        'x-own': '1',
        'content-type': 'text/plain',
        'content-length': '3',
        'set-cookie': ['a=1', 'b=2'],
      },
    });
    expect(await text(response)).toBe('tea');
  });

  it('may be in base64, and is JSON unless it says otherwise', async () => {
    const response = await answered(await serve(), { statusCode: 200, body: 'aMOp', isBase64Encoded: true });
    expect(response.headers['content-type']).toBe('application/json');
    expect(await text(response)).toBe('hé');
    expect(await text(await answered(await serve(), { statusCode: 204 }))).toBe('');
  });

  it.each([{ message: 'hello' }, 'hello', 7, null, ['a']])(
    'of any other JSON is a body: %j',
    async (value) => {
      const response = await answered(await serve(), value);
      expect(response).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
      expect(JSON.parse(await text(response))).toEqual(value);
    },
  );

  it.each([
    { statusCode: '200' },
    { statusCode: 99 },
    { statusCode: 200, body: { a: 1 } },
    { statusCode: 200, headers: { 'x-own': '1', 'bad name': 'x' } },
    { statusCode: 200, headers: { x: 'a\r\nb: c' } },
  ])('that cannot be one is a 502: %j', async (value) => {
    const response = await answered(await serve(), value);
    expect(response).toMatchObject({ statusCode: 502, headers: { 'content-type': 'application/json' } });
    expect(response.headers).not.toHaveProperty('x-own');
    expect(JSON.parse(await text(response))).toEqual({ Message: 'Internal Server Error' });
  });

  it('of a handler that throws is a 502, which tells nothing', async () => {
    const response = await send(`${await serve()}/throw`);
    expect(response.statusCode).toBe(502);
    expect(JSON.parse(await text(response))).toEqual({ Message: 'Internal Server Error' });
  });
});

describe('a streamed answer', () => {
  const head: { statusCode: number; headers: IncomingHttpHeaders } = {
    statusCode: 201,
    headers: {
      'content-type': 'text/event-stream',
      'x-own': '1',
      'set-cookie': ['a=1; Path=/', 'b=2'],
      'transfer-encoding': 'chunked',
    },
  };

  it('has the head of its prelude, and each chunk when it was written', async () => {
    const response = await send(`${await stream()}/chunks?ms=150`);
    expect(response).toMatchObject(head);
    const chunks = await read(response);
    expect(chunks[0]!.text).toBe('one ');
    expect(chunks.map((chunk) => chunk.text).join('')).toBe('one two three');
    expect(chunks[1]!.at - chunks[0]!.at).toBeGreaterThan(75);
    expect(response.trailers).toEqual({});
  });

  it('holds small chunks back until the next write, if it was told so', async () => {
    const url = await stream({ holdBackBelow: 100 });
    const response = await send(`${url}/chunks?ms=150`);
    const headAt = performance.now();
    const chunks = await read(response);
    expect(chunks.map((chunk) => chunk.text).join('')).toBe('one two three');
    expect(chunks[0]!.at - headAt).toBeGreaterThan(75);
  });

  it('lasts as long as its bytes are, and keeps them', async () => {
    const url = await stream();
    const large = await text(await send(`${url}/large`));
    expect(large).toHaveLength(64 * 64 * 1024);
    const chunks: Buffer[] = [];
    for await (const chunk of await send(`${url}/bytes`)) chunks.push(chunk);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0xff]));
  });

  const invokedBy = (chunks: Iterable<Uint8Array>): Pick<LocalFunction, 'invoke' | 'invokeStream'> => ({
    invoke: buffered().invoke,
    async invokeStream(_event, sink) {
      const contentType = 'application/vnd.awslambda.http-integration-response';
      for (const chunk of chunks) await sink(chunk, contentType);
      return { status: 'success', contentType };
    },
  });

  it('does not depend on how its prelude was cut', async () => {
    const whole = Buffer.from('{"statusCode":418,"headers":{"x-own":"é"}}\0\0\0\0\0\0\0\0\0tea');
    for (const size of [1, 3, 45, 50, 51, 100]) {
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
        whole.subarray(n * size, (n + 1) * size),
      );
      const response = await send(await stream({ function: invokedBy(chunks) }));
      expect(response.statusCode).toBe(418);
      expect(response.headers['content-type']).toBe('application/octet-stream');
      expect(await text(response)).toBe('\0tea');
    }
  });

  it('whose prelude never ends is a 502', async () => {
    const chunks = Array.from({ length: 9 }, () => Buffer.alloc(10_000, 'x'));
    expect((await send(await stream({ function: invokedBy(chunks) }))).statusCode).toBe(502);
  });

  it('without a prelude is a 200 of the stream’s content type', async () => {
    const response = await send(`${await stream()}/plain`);
    expect(response).toMatchObject({ statusCode: 200, headers: { 'content-type': 'text/plain' } });
    expect(await text(response)).toBe('plain');
  });

  it('of a buffered handler is its JSON as it stands', async () => {
    const response = await answered(await stream({ function: buffered() }), { statusCode: 418, body: 'tea' });
    expect(response).toMatchObject({ statusCode: 200, headers: { 'content-type': 'application/json' } });
    expect(JSON.parse(await text(response))).toEqual({ statusCode: 418, body: 'tea' });
  });

  it('may have no body, when it was begun by an empty write', async () => {
    const response = await send(`${await stream()}/empty`);
    expect(response).toMatchObject(head);
    expect(await text(response)).toBe('');
  });

  it.each(['/throw-first', '/throw-before-write', '/end-only', '/end-with-data', '/bad-status'])(
    'is a 502 when nothing was sent that could be a head: %s',
    async (path) => {
      const response = await send((await stream()) + path);
      expect(response.statusCode).toBe(502);
      expect(JSON.parse(await text(response))).toEqual({ Message: 'Internal Server Error' });
    },
  );

  it.each([0, 100])(
    'ends cleanly when the handler throws after the first byte, hold-back %i',
    async (below) => {
      const response = await send(`${await stream({ holdBackBelow: below })}/throw-after`);
      expect(response).toMatchObject(head);
      expect(await text(response)).toBe('one ');
      expect(response.complete).toBe(true);
      expect(response.trailers).toEqual({ 'lambda-runtime-function-error-type': 'RangeError' });
    },
  );

  it('ends cleanly when the process is killed in its middle', async () => {
    const response = await send(`${await stream()}/hang`);
    const killed = (async () => {
      for await (const chunk of response) if (String(chunk).includes('two')) void streaming().kill();
    })();
    await killed;
    expect(response).toMatchObject({
      ...head,
      complete: true,
      trailers: { 'lambda-runtime-function-error-type': 'Runtime.ExitError' },
    });
  });
});
