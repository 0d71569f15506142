/** `useChat` of the AI SDK in a real browser: unchanged, and with our transport under a network that is cut every 5 s. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../bin/dev/stack.ts';
import { manuscript } from '../../functions/agent/manuscript.ts';
import { openBrowser } from './browser.ts';
import { type ChatServer, openTab, serveChat } from './chat/page.ts';
import { openRelay, type Relay } from './relay.ts';
import { sessionOf } from './session.ts';
import { until } from './until.ts';

const counted = (to: number) => `${Array.from({ length: to }, (_, n) => n + 1).join(', ')}.`;

let folder: string;
let browser: Browser;
let context: BrowserContext;
let server: ChatServer;
let stack: Stack;
let relay: Relay;
let token: string;
const lines: string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-chat-'));
  server = await serveChat();
  stack = await startStack({
    folder,
    keep: false,
    port: 0,
    env: { ALLOWED_ORIGINS: server.origin, LOCAL_MODEL_WORD_MS: '20', TURN_STARTS_PER_MINUTE: '1000' },
    log: (name, line) => lines.push(`${name} ${line}`),
  });
  relay = await openRelay();
  relay.to(stack.url);
  browser = await openBrowser();
  context = await browser.newContext();
  token = (await sessionOf(stack, 'alice')).session;
});
afterAll(async () => {
  await browser?.close();
  await relay?.down();
  await stack?.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Our own transport goes through the network that is cut. */
const addressOf = (id: string, own: boolean) =>
  `${server.origin}/#${new URLSearchParams({ url: own ? relay.url : stack.url, token, id, own: own ? 'yes' : 'no' })}`;

const running = async (id: string): Promise<string> => {
  const query = new URLSearchParams({ conversation: id, status: 'running' });
  const headers = { authorization: `Bearer ${token}` };
  const listed = await (await fetch(`${stack.url}/turns?${query}`, { headers })).json();
  return (listed as { turns: { turn: string }[] }).turns[0]!.turn;
};

describe.each([
  ['useChat, unchanged', false],
  ['useChat with our transport, and a network that is cut every 5 s', true],
])('%s', (_, own) => {
  let cutting: NodeJS.Timeout | undefined;
  beforeAll(() => {
    if (own) cutting = setInterval(() => void relay.down().then(relay.up), 5_000);
  });
  afterAll(() => clearInterval(cutting));
  const open = (name: string) => openTab(context, addressOf(idOf(name), own));
  const idOf = (name: string) => `${name} ${own}`;

  it('shows a turn as it is said', async () => {
    const tab = await open('a turn');
    await tab.send('write 60 words');
    const text = manuscript(60, 'words');
    await tab.says(text.slice(0, 40));
    await tab.ends(text);
    expect((await tab.shown()).messages.map(([role]) => role)).toEqual(['user', 'assistant']);
    expect((await tab.shown()).error).toBeNull();
  });

  it('goes on behind a reload, with nothing lost and nothing doubled', async () => {
    const tab = await open('reloaded');
    await tab.send('count to 20');
    await tab.says('1, 2, 3, 4');
    await tab.reload();
    await tab.ends(counted(20), 40_000);
    expect((await tab.shown()).messages.map(([role]) => role)).toEqual(['user', 'assistant']);
  });

  it('shows the same in two tabs, the second of which came late', async () => {
    const first = await open('two tabs');
    await first.send('write 200 words');
    const text = manuscript(200, 'words');
    await first.says(text.slice(0, 300));
    const second = await open('two tabs');
    await Promise.all([first.ends(text, 30_000), second.ends(text, 30_000)]);
  });

  it('shows a turn of 90 s to its end', async () => {
    const tab = await open('90 s');
    await tab.send('count to 90');
    await tab.ends(counted(90), 110_000);
  });

  it('shows what the winning attempt said, when its function is killed in mid-turn', async () => {
    const tab = await open('taken over');
    await tab.send('count to 20');
    await tab.says('1, 2, 3');
    const killed = performance.now();
    await stack.functions.stream.kill();
    if (!own) {
      // The stream of a dead function ends cleanly, which the SDK takes for the end until it asks again.
      await tab.rests();
      await tab.reload();
    }
    await tab.ends(counted(20), 90_000);
    console.log(`from kill -9 of the function host to the end of its turn: ${seconds(killed)} s`);
  });

  it('ends with a turn that is stopped by somebody else', async () => {
    const tab = await open('stopped');
    await tab.send('count to 60');
    await tab.says('1, 2, 3');
    const turn = await running(idOf('stopped'));
    const headers = { authorization: `Bearer ${token}` };
    const stopped = await fetch(`${stack.url}/turns/${turn}/stop`, { method: 'POST', headers });
    expect(stopped.status).toBe(200);
    await tab.rests(8_000);
    expect(await tab.answer()).toMatch(/^1, 2, 3/);
    expect((await tab.shown()).status).toBe('ready');
  });
});

it('our transport’s stop stops the turn', async () => {
  const id = 'really stopped';
  const tab = await openTab(context, addressOf(id, true));
  await tab.send('count to 100');
  await tab.says('1, 2, 3');
  const turn = await running(id);
  await tab.page.evaluate(() => globalThis.chat.stop());
  const headers = { authorization: `Bearer ${token}` };
  await until('the turn to be cancelled', async () => {
    const state = (await (await fetch(`${stack.url}/turns/${turn}`, { headers })).json()) as {
      status: string;
    };
    return state.status === 'cancelled';
  });
});

const seconds = (since: number) => ((performance.now() - since) / 1_000).toFixed(1);
