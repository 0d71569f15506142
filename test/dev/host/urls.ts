/** Function URLs of a test: one process for each kind of handler in a file, a server for each URL in a test. */
import { type IncomingMessage, request } from 'node:http';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type LocalFunction, startFunction } from '../../../bin/dev/host/function.ts';
import { type FunctionUrlOptions, startFunctionUrl } from '../../../bin/dev/host/function-url.ts';
import { fixture } from './functions.ts';

type Server = Awaited<ReturnType<typeof startFunctionUrl>>;

export function testUrls() {
  const lines: string[] = [];
  const functions = new Map<string, LocalFunction>();
  const servers: Server[] = [];
  beforeAll(() => {
    for (const name of ['url', 'streaming'])
      functions.set(
        name,
        startFunction({
          name,
          handler: fixture(name),
          timeoutMs: 5_000,
          start: 'now',
          log: (_name, line) => lines.push(line),
        }),
      );
  });
  afterEach(async () => {
    await Promise.all(servers.splice(0).map((one) => one.stop(0)));
    lines.length = 0;
  });
  afterAll(async () => {
    await Promise.all([...functions.values()].map((one) => one.stop(0)));
  });

  const start = async (options: FunctionUrlOptions): Promise<Server> => {
    const server = await startFunctionUrl(options);
    servers.push(server);
    return server;
  };
  const buffered = () => functions.get('url')!;
  const streaming = () => functions.get('streaming')!;
  return {
    lines,
    buffered,
    streaming,
    start,
    serve: async (options: Partial<FunctionUrlOptions> = {}) =>
      (await start({ function: buffered(), invokeMode: 'BUFFERED', ...options })).url,
    stream: async (options: Partial<FunctionUrlOptions> = {}) =>
      (await start({ function: streaming(), invokeMode: 'RESPONSE_STREAM', ...options })).url,
  };
}

/** A request as it is written: `fetch` would tidy up the path and the headers. */
export function send(
  url: string,
  options: { method?: string; headers?: Record<string, string | string[]>; body?: string | Buffer } = {},
): Promise<IncomingMessage> {
  const [, port, path] = /^http:\/\/127\.0\.0\.1:(\d+)(.*)$/.exec(url)!;
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false, ...options }, resolve)
      .on('error', reject)
      .end(options.body);
  });
}
