/** A headless Chromium. One that is missing is installed where that can be done, else the run ends with what to do. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';

const run = promisify(execFile);
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const INSTALL_MS = 5 * 60_000;

/** `CHROMIUM` in the environment names another than the usual paths. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await installChromium();
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

export async function installChromium(): Promise<string> {
  const found = () => [process.env.CHROMIUM, ...PATHS].find((path) => path !== undefined && existsSync(path));
  if (!found())
    await run('apt-get', ['install', '-y', '-q', 'chromium'], { timeout: INSTALL_MS }).catch(() => undefined);
  const path = found();
  if (path === undefined)
    throw new Error('Chromium is missing: apt-get install chromium, or name it in CHROMIUM.');
  return path;
}
