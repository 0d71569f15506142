/** Serves the chat of `app.ts` on an origin of its own, and opens it in tabs. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { until } from '../until.ts';
import type { Shown } from './shown.ts';

export type ChatServer = { readonly origin: string; stop(): Promise<void> };

export async function serveChat(): Promise<ChatServer> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('app.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'silent',
  });
  const script = outputFiles[0]!.text;
  const server = createServer(({ url }, response) => {
    if (url === '/app.js') response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
    else
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>chat</title><body></body><script type="module" src="/app.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export type Tab = Awaited<ReturnType<typeof openTab>>;

export async function openTab(context: BrowserContext, address: string) {
  const page: Page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => 'chat' in globalThis);
  const shown = (): Promise<Shown> => page.evaluate(() => globalThis.chat.shown());
  return {
    page,
    shown,
    send: (text: string) => page.evaluate((words) => globalThis.chat.send(words), text),
    async reload() {
      await page.reload();
      await page.waitForFunction(() => 'chat' in globalThis);
    },
    /** The last answer, once it begins with `words`. */
    says: (words: string, deadlineMs?: number) =>
      until(
        `the page to show “${words}”`,
        async () => (await answerOf(shown))?.startsWith(words) === true,
        deadlineMs,
      ),
    /** At rest, with exactly that as the last answer. */
    async ends(text: string, deadlineMs?: number): Promise<void> {
      const isThere = async () => (await isAtRest(shown)) && (await answerOf(shown)) === text;
      await until(`the page to end with “${text.slice(-40)}”`, isThere, deadlineMs).catch(async (error) => {
        throw new Error(`${error.message}; it shows ${JSON.stringify(await shown())}`);
      });
    },
    rests: (deadlineMs?: number) => until('the chat to be at rest', () => isAtRest(shown), deadlineMs),
    answer: () => answerOf(shown),
  };
}

const isAtRest = async (shown: () => Promise<Shown>) => ['ready', 'error'].includes((await shown()).status);

async function answerOf(shown: () => Promise<Shown>): Promise<string | undefined> {
  const [role, text] = (await shown()).messages.at(-1) ?? [];
  return role === 'assistant' ? text : undefined;
}
