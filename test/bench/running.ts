/** The whole system for a bench: the functions as they are deployed, on a stand-in homeserver, in a folder of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle, functionNames } from '../../bin/build/bundle.ts';
import { type Stack, type StackOptions, startStack } from '../../bin/dev/stack.ts';

export type Running = { readonly stack: Stack; readonly folder: string };

/** Does the work on a stack of bundles, and leaves nothing behind, however the work ends. */
export async function withStack<T>(
  options: Partial<Pick<StackOptions, 'env' | 'homeserver'>>,
  work: (running: Running) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-bench-'));
  try {
    await Promise.all(functionNames.map((name) => bundle(name, folder)));
    const base = { folder, built: folder, keep: false, port: 0, log: () => undefined };
    const stack = await startStack({ ...base, ...options });
    try {
      return await work({ stack, folder });
    } finally {
      await stack.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The local model answers at once. */
export const AT_ONCE = { LOCAL_MODEL_WORD_MS: '0' };
