/** The page of development in a real browser: what a person sees, with the mouse, by keyboard, and over a bad network. */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../bin/dev/stack.ts';
import { manuscript } from '../../functions/agent/manuscript.ts';
import { openBrowser } from './browser.ts';
import { openTab, readProbe, type Tab, tabOf } from './page/tab.ts';
import { openRelay, type Relay } from './relay.ts';
import { until } from './until.ts';

let folder: string;
let stack: Stack;
let relay: Relay;
let browser: Browser;
let context: BrowserContext;
let alice: Tab;
const lines: string[] = [];
const requested = new Set<string>();

const open = async (options?: Parameters<Browser['newContext']>[0]) => {
  const made = await browser.newContext(options);
  await made.addInitScript(await readProbe());
  return made;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-page-'));
  stack = await startStack({
    folder,
    keep: false,
    port: 0,
    env: { TURN_STARTS_PER_MINUTE: '1000' },
    log: (name, line) => lines.push(`${name} ${line}`),
  });
  relay = await openRelay();
  relay.to(stack.url);
  browser = await openBrowser();
  context = await open();
  context.on('request', (request) => requested.add(new URL(request.url()).origin));
  alice = await openTab(context, `${stack.url}/`);
});
afterAll(async () => {
  await browser?.close();
  await relay?.down();
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The status of the host's answer; `fetch` would not let a Host header through. */
const answerTo = (path: string, headers: Record<string, string>) =>
  new Promise<number | undefined>((resolve, reject) => {
    request(`${stack.url}${path}`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });

describe('a person', () => {
  it('signs in, writes, and sees the answer come word by word, while nothing jumps', async () => {
    await alice.page.getByRole('main').getByRole('link', { name: /alice/ }).click();
    await alice.page.getByRole('heading', { level: 1, name: 'Agent' }).waitFor();
    const field = await alice.page.getByRole('textbox').boundingBox();
    await alice.page.evaluate(() => globalThis.probe.watch());
    await alice.say('write 100 words');
    expect(await alice.gate()).toBe('Gate: answer · a direct room');
    await alice.becomes('complete');
    const text = manuscript(100, 'words');
    expect(await alice.words()).toBe(text);
    const frames = await alice.page.evaluate(() => globalThis.probe.frames());
    expect(frames.length).toBeGreaterThan(20);
    for (const frame of frames) expect(text.startsWith(frame)).toBe(true);
    expect(frames.map(({ length }) => length)).toEqual(
      frames.map(({ length }) => length).toSorted((a, b) => a - b),
    );
    expect(await alice.page.evaluate(() => globalThis.probe.shift())).toBeLessThan(0.01);
    expect(await alice.page.getByRole('textbox').boundingBox()).toEqual(field);
    expect(await alice.isInSight()).toBe(true);
  });

  it('hears the whole answer once, and not each word', async () => {
    await alice.page.evaluate(() => globalThis.probe.watch());
    await alice.say('write 40 words');
    await alice.becomes('complete');
    const announced = await until('an announcement', async () => {
      const all = await alice.page.evaluate(() => globalThis.probe.announced());
      return all.length > 1 && all;
    });
    // The first is the one before.
    expect(announced).toEqual([expect.any(String), `${manuscript(40, 'words')}\ncomplete`]);
    expect(await alice.page.evaluate(() => globalThis.probe.isChatty())).toBe(false);
  });

  it('is asked, and says yes', async () => {
    await alice.say('ask me first: shall we?');
    await alice.becomes('waiting');
    await alice.button('Yes').click();
    await alice.becomes('complete');
    expect(await alice.words()).toBe('You said yes. shall we?');
    expect(await alice.button('Yes').count()).toBe(0);
  });

  it('sees what the gate makes of a group', async () => {
    await alice.go('lobby');
    await alice.say('nice weather');
    await until('a decision', async () => /silent/.test(await alice.gate()));
    expect(await alice.gate()).toBe('Gate: stay silent · not meant for the agent');
    await alice.say('@agent hello');
    await until('a decision', async () => /mentioned/.test(await alice.gate()));
    await alice.becomes('complete');
  });

  it('stops a turn in less than 2 s', async () => {
    await alice.go('Chat over HTTP');
    await alice.say('count to 60');
    await alice.grows(6);
    const asked = performance.now();
    await alice.button('Stop').click();
    await alice.becomes('cancelled');
    const took = performance.now() - asked;
    console.log(`from Stop to the end of the turn: ${Math.round(took)} ms`);
    expect(took).toBeLessThan(2_000);
    expect(await alice.words()).toMatch(/^1, 2, 3/);
  });
});

describe('a turn', () => {
  it('goes on where it was, after its connection was dropped and resumed', async () => {
    await alice.go('Agent');
    await alice.say('write 200 words');
    await alice.grows(200);
    await alice.button('Drop connection').click();
    const [words, cursor] = [await alice.words(), await alice.cursor()];
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([await alice.words(), await alice.connection()]).toEqual([words, 'dropped']);
    const resumed = alice.page.waitForRequest(/\/events\?/);
    await alice.button('Resume').click();
    expect(new URL((await resumed).url()).searchParams.get('after')).toBe(cursor);
    await alice.becomes('complete');
    expect(await alice.words()).toBe(manuscript(200, 'words'));
  });

  it('is the same in two tabs and to who comes late, byte for byte', async () => {
    await alice.go('Chat over HTTP');
    await alice.say('write 200 words');
    await alice.grows(300);
    const turn = await alice.turn();
    const opened = context.waitForEvent('page');
    await alice.page.getByRole('link', { name: 'Open in a new tab' }).click();
    const second = tabOf(await opened);
    await second.grows(400);
    expect(await second.turn()).toBe(turn);
    await Promise.all([alice.becomes('complete'), second.becomes('complete')]);
    // Somewhere else, where nothing is kept.
    const elsewhere = await open();
    const late = await openTab(elsewhere, second.page.url());
    await late.becomes('complete');
    const text = manuscript(200, 'words');
    const all = await Promise.all([alice, second, late].map((tab) => tab.wordsOf(turn)));
    expect(all.map((words) => Buffer.from(words).toString('hex'))).toEqual(
      Array.from({ length: 3 }, () => Buffer.from(text).toString('hex')),
    );
    await Promise.all([second.page.close(), elsewhere.close()]);
  });

  it('is resumed by itself after the network was cut', async () => {
    const away = await open({ proxy: { server: relay.url, bypass: '<-loopback>' } });
    const bob = await openTab(away, `${stack.url}/#as=bob`);
    await bob.say('write 200 words');
    await bob.grows(200);
    await relay.down();
    await until('the loss to show', async () => (await bob.connection()) === 'connecting');
    const words = await bob.words();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await bob.words()).toBe(words);
    expect(await bob.page.locator('main > header').textContent()).toContain('does not answer');
    await relay.up();
    await bob.becomes('complete', 30_000);
    expect(await bob.words()).toBe(manuscript(200, 'words'));
    await away.close();
  });

  it('gives up its connection when more than two run, and gets it back when asked for', async () => {
    await alice.go('old-hall');
    for (const as of ['bob', 'carol', 'alice']) {
      const body = JSON.stringify({ as, room: 'old-hall', text: '@agent count to 10' });
      expect((await fetch(`${stack.url}/dev/say`, { method: 'POST', body })).status).toBe(200);
    }
    const replies = alice.page.locator('.reply');
    await until('three replies', async () => (await replies.count()) === 3);
    await alice.grows(3);
    await replies.first().getByRole('link').click();
    await until('the oldest to be dropped', async () => (await alice.connection()) === 'dropped');
    await alice.button('Resume').click();
    await until('the end of all', async () => {
      const ends = await replies.evaluateAll((all) => all.map((one) => one.dataset.status));
      return ends.every((end) => end === 'complete');
    });
    for (const one of await replies.locator('.words').all())
      expect(await one.textContent()).toBe('1, 2, 3, 4, 5, 6, 7, 8, 9, 10.');
  });
});

describe('the page', () => {
  it('is the only one that the host serves', async () => {
    const host = new URL(stack.url).host;
    expect(await answerTo('/', {})).toBe(200);
    expect(await answerTo('/', { host: host.replace('127.0.0.1', 'localhost') })).toBe(302);
    expect(await answerTo('/dev/page/people', {})).toBe(200);
    expect(await answerTo('/dev/page/people', { origin: stack.url })).toBe(200);
    expect(await answerTo('/dev/page/people', { origin: 'http://evil.example' })).toBe(403);
    expect(await answerTo('/dev/page/people', { host: 'evil.example' })).toBe(403);
    expect(await answerTo('/dev/page/people/%', {})).toBe(400);
    expect(await answerTo('/dev/page/people/nobody/rooms', {})).toBe(404);
    expect(await answerTo('/dev/page/people/alice/rooms/!none', {})).toBe(403);
  });

  it('asks nobody but its own host for anything', () => {
    expect([...requested].filter((origin) => origin !== 'null')).toEqual([stack.url]);
  });

  it('can be used by keyboard alone', async () => {
    const { page, ...tab } = await openTab(context, `${stack.url}/`);
    const focused = () => page.evaluate(() => globalThis.probe.focused());
    /** Presses a key until what has the focus is called that. */
    const reach = async (key: string, name: string) => {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press(key);
        const { text, isMarked } = await page.evaluate(() => globalThis.probe.focused());
        expect(isMarked, text).toBe(true);
        if (text === name) return;
      }
      throw new Error(`${name} can't be reached by ${key}`);
    };
    await page.getByRole('link', { name: /carol/ }).first().waitFor();
    await reach('Tab', 'carol');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Agent' }).waitFor();
    await until('the field to have the focus', async () => (await focused()).text === 'Message to Agent');
    await page.keyboard.type('count to 60');
    await page.keyboard.press('Enter');
    await tab.becomes('running');
    await reach('Shift+Tab', 'Stop');
    await page.keyboard.press('Enter');
    await tab.becomes('cancelled');
    // What can do nothing any more still has the focus.
    expect((await focused()).text).toBe('Stop');
    await page.close();
  });

  it.each(['light', 'dark'] as const)('can be read in %s', async (colorScheme) => {
    const shots = await mkdtemp(join(tmpdir(), `turnpike-page-${colorScheme}-`));
    const made = await open({ colorScheme, viewport: { width: 1200, height: 800 } });
    const tab = await openTab(made, `${stack.url}/`);
    const shoot = async (name: string) => {
      expect(await tab.page.evaluate(() => globalThis.probe.faults()), name).toEqual([]);
      await tab.page.screenshot({ path: join(shots, `${name}.png`) });
    };
    await tab.page.getByRole('main').getByRole('link', { name: /carol/ }).waitFor();
    await shoot('welcome');
    await tab.page.getByRole('main').getByRole('link', { name: /carol/ }).click();
    await tab.go('lobby');
    await tab.say('nice weather');
    await tab.say('@agent ask me first: shall we?');
    await tab.becomes('waiting');
    await shoot('question');
    await tab.button('No').click();
    await tab.becomes('complete');
    await tab.say('@agent write 100 words');
    await tab.grows(200);
    await until('the scroller to follow', tab.isInSight);
    await shoot('running');
    await tab.button('Drop connection').click();
    await shoot('dropped');
    await tab.button('Resume').click();
    await tab.becomes('complete');
    await tab.go('Agent');
    await tab.say('fail');
    await tab.becomes('error');
    await shoot('error');
    await tab.page.setViewportSize({ width: 390, height: 780 });
    await shoot('narrow');
    console.log(`screenshots: ${shots}`);
    await made.close();
  });
});
