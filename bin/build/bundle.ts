/**
 * Bundles a function as it is deployed: `<folder>/<name>/index.mjs` with everything it needs from npm, minified, with
 * its source map beside it. A function that is `split` keeps what it uses rarely in files of its own, which it loads
 * when it comes to that.
 */
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** The functions by name. A webhook answers at once and then is done: one file starts soonest. */
const functions = {
  webhook: { split: false },
  worker: { split: true },
  stream: { split: true },
  sweep: { split: true },
} as const;

export type FunctionName = keyof typeof functions;
export const functionNames = Object.keys(functions) as FunctionName[];

/** What a function may load before its first invocation, in bytes. */
export const MAX_START_BYTES = 500_000;

export type Bundle = {
  readonly name: FunctionName;
  /** The path of the entry file. */
  readonly path: string;
  readonly entryBytes: number;
  /** The entry file and every file it imports at once. */
  readonly startBytes: number;
  /** The files that are loaded when they are needed. */
  readonly laterBytes: number;
};

const root = resolve(fileURLToPath(new URL('../..', import.meta.url)));

/**
 * The SDK imports these where its environment has no credentials, or in a browser; a function's environment always has
 * them.
 */
const NEVER_USED = [
  ...['ini', 'login', 'process', 'sso', 'web-identity'].map((name) => `@aws-sdk/credential-provider-${name}`),
  'bowser',
];

/** CommonJS modules may ask for Node's own by `require`, which an ES module does not have. */
const BANNER = `import{createRequire as $require}from'node:module';const require=$require(import.meta.url);`;

/** Writes the bundle, in place of any that was there. Rejects with esbuild's messages if it can't be built. */
export async function bundle(name: FunctionName, folder: string): Promise<Bundle> {
  const outdir = resolve(folder, name);
  await rm(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [{ in: join('functions', `${name}.ts`), out: 'index' }],
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    external: NEVER_USED,
    splitting: functions[name].split,
    minify: true,
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: BANNER },
    metafile: true,
    logLevel: 'silent',
  });
  return { name, path: join(outdir, 'index.mjs'), ...sizes(metafile) };
}

function sizes({ outputs }: Metafile): Omit<Bundle, 'name' | 'path'> {
  const code = Object.keys(outputs).filter((path) => path.endsWith('.mjs'));
  const entry = code.find((path) => basename(path) === 'index.mjs')!;
  const atStart = new Set([entry]);
  for (const path of atStart)
    for (const one of outputs[path]!.imports)
      if (one.kind === 'import-statement' && !one.external) atStart.add(one.path);
  const total = (paths: Iterable<string>) => [...paths].reduce((sum, path) => sum + outputs[path]!.bytes, 0);
  const startBytes = total(atStart);
  return { entryBytes: outputs[entry]!.bytes, startBytes, laterBytes: total(code) - startBytes };
}
