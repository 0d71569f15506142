/**
 * `npm run build`: bundles every function as it is deployed, to `dist/<name>/index.mjs`, and says how large they are; and
 * builds the npm package of the clients to `dist/npm`.
 * Exit status 1, with esbuild's messages, if one can't be built; what was there before is then gone.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BuildFailure, formatMessages } from 'esbuild';
import { type Bundle, bundle, functionNames } from './build/bundle.ts';
import { buildPackage } from './build/packages.ts';

const USAGE = `Bundles the functions as they are deployed, and the package of the clients.

  npm run build -- [options]

  --out DIR          where to put them (dist)
  --quiet            say nothing unless something is wrong
  --help
`;

async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      out: { type: 'string', default: 'dist' },
      quiet: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  try {
    const bundles = await Promise.all(functionNames.map((name) => bundle(name, resolve(values.out))));
    await buildPackage(resolve(values.out, 'npm'));
    if (!values.quiet) process.stdout.write(table(bundles));
    return 0;
  } catch (error) {
    if (!isBuildFailure(error)) throw error;
    const messages = await formatMessages(error.errors, { kind: 'error' });
    process.stderr.write(messages.join(''));
    return 1;
  }
}

const isBuildFailure = (error: unknown): error is BuildFailure => error instanceof Error && 'errors' in error;

function table(bundles: readonly Bundle[]): string {
  const kb = (bytes: number) => `${(bytes / 1_000).toFixed(1)} KB`.padStart(11);
  const head = `${'function'.padEnd(10)}${['entry', 'at start', 'on use'].map((name) => name.padStart(11)).join('')}\n`;
  const lines = bundles.map(
    ({ name, entryBytes, startBytes, laterBytes }) =>
      `${name.padEnd(10)}${kb(entryBytes)}${kb(startBytes)}${kb(laterBytes)}\n`,
  );
  return head + lines.join('');
}

process.exitCode = await main(process.argv.slice(2));
