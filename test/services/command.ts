/** Runs one of the project's commands as a person would, with `npm run`. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export type Ran = { readonly status: number; readonly out: string; readonly err: string };

const root = fileURLToPath(new URL('../..', import.meta.url));
const COMMAND_MS = 60_000;

/** `env` is added to the test's own environment. */
export function command(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(
      'npm',
      ['run', '--silent', name, '--', ...args],
      { cwd: root, timeout: COMMAND_MS, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ status: error ? Number(error.code ?? -1) : 0, out, err }),
    );
  });
}
