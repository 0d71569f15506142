/**
 * Builds the npm package `turnpike` into `<folder>`: its entries `turnpike/client` and `turnpike/ai-sdk` as ES modules for
 * browsers, Node and workers, with their types. It has no dependencies; `ai` is a peer, and only the second's types name it.
 */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));
const entries = ['client', 'ai-sdk'] as const;

export async function buildPackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await build({
    absWorkingDir: root,
    entryPoints: entries.map((name) => join('functions', 'client', `${name}.ts`)),
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    minify: true,
    sourcemap: 'linked',
    logLevel: 'silent',
  });
  await writeTypes(join(folder, 'types'));
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(), undefined, 2)}\n`);
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(root, 'functions', 'client', 'README.md'), join(folder, 'README.md'));
}

/** The compiler's declarations of the entries and of all that they name. */
async function writeTypes(outDir: string): Promise<void> {
  const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
  const { bin } = JSON.parse(await readFile(typescript, 'utf8')) as { bin: { tsc: string } };
  const files = entries.map((name) => join(root, 'functions', 'client', `${name}.ts`));
  const options = {
    target: 'es2024',
    lib: 'es2024,esnext.iterator,dom,dom.iterable,dom.asynciterable',
    module: 'nodenext',
    types: 'node',
    rootDir: join(root, 'functions'),
    outDir,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const switches = ['strict', 'declaration', 'emitDeclarationOnly', 'skipLibCheck', 'verbatimModuleSyntax'];
  const tsc = join(typescript, '..', bin.tsc);
  await promisify(execFile)(
    process.execPath,
    [
      ...[tsc, '--ignoreConfig', '--allowImportingTsExtensions'],
      ...switches.map((name) => `--${name}`),
      ...flags,
      ...files,
    ],
    { cwd: root },
  );
  for (const path of await readdir(outDir, { recursive: true })) {
    if (!path.endsWith('.d.ts')) continue;
    const text = await readFile(join(outDir, path), 'utf8');
    // There are no `.ts` files beside them.
    await writeFile(join(outDir, path), text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
  }
}

async function manifest(): Promise<object> {
  const own = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as Record<string, never> & {
    devDependencies: { ai: string };
  };
  const [major] = own.devDependencies.ai.split('.');
  return {
    name: 'turnpike',
    version: own.version,
    description: 'Clients of Turnpike: start, follow, resume and stop the turns of an agent',
    license: own.license,
    type: 'module',
    sideEffects: false,
    exports: Object.fromEntries(
      entries.map((name) => [`./${name}`, { types: `./types/client/${name}.d.ts`, default: `./${name}.js` }]),
    ),
    peerDependencies: { ai: `^${major}.0.0` },
    peerDependenciesMeta: { ai: { optional: true } },
  };
}
