/** The page of development in a tab of a browser, as a person uses it, with a probe inside. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { until } from '../until.ts';
import './probed.ts';

export type Tab = Awaited<ReturnType<typeof openTab>>;

/** For `addInitScript` of a context: every page of it has the probe. */
export async function readProbe(): Promise<{ content: string }> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('probe.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    logLevel: 'silent',
  });
  return { content: outputFiles[0]!.text };
}

export async function openTab(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.goto(address);
  return tabOf(page);
}

const textOf = async (where: Locator) => (await where.textContent({ timeout: 10_000 })) ?? '';

export function tabOf(page: Page) {
  const newest = page.locator('.reply').last();
  const said = () => page.locator('.items > li').count();
  return {
    page,
    newest,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    /** By its name in the left pane. */
    async go(place: string): Promise<void> {
      await page.locator('.side').getByRole('link', { name: place }).click();
      await page.getByRole('heading', { level: 1, name: place.split(' ')[0]! }).waitFor();
    },
    /** Resolves when the message is shown. */
    async say(text: string): Promise<void> {
      const before = await said();
      await page.getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
      await until(`“${text}” to be shown`, async () => (await said()) > before);
    },
    /** What the gate has decided about the newest message. */
    gate: () =>
      until('the gate to decide', async () => {
        const said = await textOf(page.locator('.gate').last());
        return !said.includes('deciding') && said;
      }),
    words: () => textOf(newest.locator('.words')),
    wordsOf: (turn: string) => textOf(page.locator(`[data-turn="${turn}"] .words`)),
    turn: async () => (await newest.getAttribute('data-turn')) ?? '',
    cursor: () => textOf(page.locator('output.cursor')),
    connection: () => textOf(page.locator('.connection dd')),
    becomes: (status: string, deadlineMs?: number) =>
      until(
        `the newest reply to be ${status}`,
        async () => (await newest.getAttribute('data-status', { timeout: 5_000 })) === status,
        deadlineMs,
      ),
    /** Whether the end of the newest reply is in sight. */
    async isInSight(): Promise<boolean> {
      const [reply, bar] = await Promise.all([newest.boundingBox(), page.locator('.turn-bar').boundingBox()]);
      return reply!.y + reply!.height <= bar!.y;
    },
    /** The newest reply has so many characters. */
    async grows(to: number): Promise<void> {
      await until(`${to} characters`, async () => (await textOf(newest.locator('.words'))).length >= to);
    },
  };
}
