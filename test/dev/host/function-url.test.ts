import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { maxPayload } from '../../../bin/dev/host/function.ts';
import { functionUrl } from '../../../bin/dev/host/function-url.ts';
import { send, testUrls } from './urls.ts';

const { start, serve, stream, buffered, streaming, lines } = testUrls();

describe('a mounted function', () => {
  const event = async (url: string): Promise<LambdaFunctionURLEvent> =>
    JSON.parse(await text(await send(url)));

  it('does not show the path a function is mounted on', async () => {
    const url = await serve({ mountedOn: '/webhook' });
    expect((await event(`${url}/webhook/a?b=1`)).rawPath).toBe('/a');
    expect((await event(`${url}/webhook`)).rawPath).toBe('/');
    expect(await event(`${url}/webhook?b=1`)).toMatchObject({ rawPath: '/', rawQueryString: 'b=1' });
  });

  it('comes from any server that the handler is mounted on', async () => {
    const server = createServer(functionUrl({ function: buffered(), invokeMode: 'BUFFERED' }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect((await event(`http://127.0.0.1:${port}/x`)).rawPath).toBe('/x');
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a request that is too large', () => {
  it('is refused by the size of its event, before any invocation', async () => {
    let invocations = 0;
    const invoke = async () => {
      invocations++;
      return { status: 'success', payload: '"done"' } as const;
    };
    const url = await serve({ function: { invoke, invokeStream: buffered().invokeStream } });
    const put = async (type: string, body: string | Buffer) =>
      (await send(url, { method: 'PUT', headers: { 'content-type': type }, body })).statusCode;
    expect(await put('application/json', 'x'.repeat(maxPayload - 2_000))).toBe(200);
    expect(await put('application/json', '"'.repeat(maxPayload / 2))).toBe(413);
    expect(await put('image/png', Buffer.alloc(maxPayload * 0.8))).toBe(413);
    expect(await put('application/json', 'x'.repeat(maxPayload * 2))).toBe(413);
    expect(invocations).toBe(1);
  });
});

describe('a client', () => {
  it.each([
    ['/chunks?ms=80', 'finished'],
    ['/large?chunks=500', 'all written'],
  ])('that goes away does not stop the function: %s', async (path, last) => {
    const response = await send((await stream()) + path);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(lines).not.toContain(last);
    response.destroy();
    await expect.poll(() => lines, { interval: 5, timeout: 3_000 }).toContain(last);
  });
});

describe('stop', () => {
  it('lets an answer end', async () => {
    const server = await start({ function: streaming(), invokeMode: 'RESPONSE_STREAM' });
    const response = await fetch(`${server.url}/chunks?ms=60`);
    const from = performance.now();
    const stopped = server.stop();
    expect(await response.text()).toBe('one two three');
    await stopped;
    expect(performance.now() - from).toBeLessThan(1_000);
    await expect(send(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('waits no longer than it was told', async () => {
    const server = await start({ function: streaming(), invokeMode: 'RESPONSE_STREAM' });
    const response = await send(`${server.url}/hang`);
    const cut = expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await server.stop(20);
    await cut;
    await streaming().kill();
  });
});
