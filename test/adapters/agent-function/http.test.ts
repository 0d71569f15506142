import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { httpTransport } from '../../../functions/adapters/agent-function/http.ts';
import { ownAgent } from '../../../functions/adapters/agent-function/own.ts';
import { requestOf } from '../../../functions/adapters/agent-function/request.ts';
import { systemClock } from '../../../functions/adapters/lambda/clock.ts';
import { inputOf } from '../../agent/input.ts';
import { readOut } from './read.ts';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

async function serve(answer: Answer): Promise<string> {
  const server = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
}

const input = inputOf('hello');

const outcome = (url: string, signal = new AbortController().signal) =>
  readOut(ownAgent(httpTransport(url), systemClock).run(input, signal));

const told = [{ type: 'step-start' }, { type: 'text', text: 'hello' }];
const SAID = '{"type":"text","text":"hello"}\n';

describe('an own agent at a URL', () => {
  it('is posted the request, and read to its end', async () => {
    let asked: unknown;
    const url = await serve(async (request, response) => {
      const { method, headers } = request;
      asked = [method, request.url, headers['content-type'], headers.accept, await text(request)];
      response.write(SAID);
      response.end('{"type":"done"}');
    });
    expect(await outcome(url)).toEqual({ events: [...told, { type: 'step-end', last: true }] });
    expect(asked).toEqual(['POST', '/agent', 'application/json', 'application/x-ndjson', requestOf(input)]);
  });

  it('is unavailable unless it answers 200 itself', async () => {
    let reached = 0;
    const elsewhere = await serve((_, response) => {
      reached++;
      response.end('{"type":"done"}');
    });
    for (const status of [204, 302, 404, 500]) {
      const url = await serve((_, response) => response.writeHead(status, { location: elsewhere }).end());
      expect(await outcome(url)).toEqual({ events: [], code: 'agent_unavailable' });
    }
    expect(reached).toBe(0);
    expect(await outcome('http://127.0.0.1:9/')).toEqual({ events: [], code: 'agent_unavailable' });
  });

  it('has broken off when its connection is cut', async () => {
    const url = await serve((_, response) => {
      response.write(`${SAID}{"type":"done"}`);
      setTimeout(() => response.destroy(), 20);
    });
    expect(await outcome(url)).toEqual({ events: told, code: 'agent_broke_off' });
  });

  it('is left when its turn is stopped', async () => {
    const stop = new AbortController();
    const left = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      response.on('close', () => left.resolve());
      response.write(SAID, () => setTimeout(() => stop.abort(), 20));
    });
    expect(await outcome(url, stop.signal)).toEqual({ events: told });
    await left.promise;
  });
});
