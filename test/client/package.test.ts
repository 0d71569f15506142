/** The package as it is published: packed, installed without a network, imported in Node, and compiled against. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildPackage } from '../../bin/build/packages.ts';

const run = promisify(execFile);
const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const MAX_GZIPPED = 6_000;

let folder: string;
let consumer: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-package-'));
  const built = join(folder, 'built');
  await buildPackage(built);
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: built });
  expect(stdout).toContain('turnpike-');
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz'))!;
  consumer = join(folder, 'consumer');
  await mkdir(consumer);
  await writeFile(join(consumer, 'package.json'), '{"name":"consumer","private":true,"type":"module"}');
  const flags = ['--offline', '--no-audit', '--no-fund', '--legacy-peer-deps'];
  await run('npm', ['install', ...flags, join(folder, tarball)], { cwd: consumer });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('has what it promises and nothing else', async () => {
  const installed = join(consumer, 'node_modules', 'turnpike');
  const { dependencies, exports } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    dependencies?: object;
    exports: object;
  };
  expect(dependencies).toBeUndefined();
  expect(Object.keys(exports)).toEqual(['./client', './ai-sdk']);
  const files = await readdir(installed, { recursive: true });
  const own = ['LICENSE', 'README.md', 'package.json', 'types'];
  expect(files).toEqual(expect.arrayContaining(own));
  const more = files.filter(
    (file) => !own.includes(file) && !/^types\/(client|turns)(\/.*\.d\.ts)?$/.test(file),
  );
  expect(more.filter((file) => !/^[\w-]+\.js(\.map)?$/.test(file))).toEqual([]);
});

it('loads in Node, and follows a turn', async () => {
  await writeFile(
    join(consumer, 'try.js'),
    `import { createClient, TurnpikeError } from 'turnpike/client';
     import { createChatTransport } from 'turnpike/ai-sdk';
     const lines = [
       { type: 'start', messages: ['t'], from: 1, cursor: '1.1' },
       { type: 'text', text: 'hello', from: 2, cursor: '1.2' },
       { type: 'turn_status', status: 'complete', from: 3, cursor: '1.3' },
     ];
     const body = lines.map((line) => JSON.stringify(line) + '\\n').join('');
     const fetch = async () => new Response(body, { headers: { 'content-type': 'application/x-ndjson', 'x-turnpike-turn': 't' } });
     const turn = createClient({ url: 'http://x', token: 't', platform: { fetch } }).start({ conversation: 'c', text: 'x' });
     const seen = [];
     for await (const line of turn) seen.push(line.type);
     console.log(JSON.stringify([seen, turn.text, (await turn.done).status, typeof createChatTransport, typeof TurnpikeError]));`,
  );
  const { stdout } = await run(process.execPath, ['try.js'], { cwd: consumer });
  expect(JSON.parse(stdout)).toEqual([
    ['start', 'text', 'turn_status'],
    'hello',
    'complete',
    'function',
    'function',
  ]);
});

it('compiles for who uses it, without Node’s types', async () => {
  await symlink(join(root, 'node_modules', 'ai'), join(consumer, 'node_modules', 'ai'));
  await writeFile(
    join(consumer, 'use.ts'),
    `import { createClient, type LogLine, openSession } from 'turnpike/client';
     import { createChatTransport } from 'turnpike/ai-sdk';
     import type { ChatTransport, UIMessage } from 'ai';
     const client = createClient({ url: 'https://x', token: async () => 'session' });
     const turn = client.start({ conversation: 'c', text: 'x', whenBusy: 'enqueue' });
     turn.onEvent((line) => { if (line.type === 'text') { const words: string = line.text; void words; } });
     export const lines: AsyncIterable<LogLine> = turn;
     export const transport: ChatTransport<UIMessage> = createChatTransport({ url: 'https://x', token: 't' });
     // @ts-expect-error There is no such word.
     client.start({ conversation: 'c', text: 'x', whenBusy: 'later' });
     void openSession('https://x', { openid: {} });`,
  );
  const tsc = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(await readFile(tsc, 'utf8')) as { bin: { tsc: string } };
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
  const libs = ['--lib', 'es2024,dom,dom.iterable,esnext.iterator', '--types', ''];
  await run(process.execPath, [join(tsc, '..', bin.tsc), ...flags, ...libs, 'use.ts'], {
    cwd: consumer,
  }).catch((error: { stdout: string }) => expect.fail(error.stdout));
});

it('is under 6 KB gzipped', async () => {
  await writeFile(join(consumer, 'app.js'), `export { createClient } from 'turnpike/client';`);
  const { outputFiles } = await build({
    absWorkingDir: consumer,
    entryPoints: ['app.js'],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
  });
  const bytes = gzipSync(outputFiles[0]!.contents).length;
  expect(bytes).toBeGreaterThan(1_000);
  expect(bytes).toBeLessThan(MAX_GZIPPED);
});
