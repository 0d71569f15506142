/**
 * Installs Synapse into `.services/`, once for each set of requirements: a virtual environment that is complete if it is
 * there, since it gets its name last. Wheels only, so nothing is ever compiled. What is missing on this machine is said
 * in a plain sentence.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export class MissingPrerequisite extends Error {
  override readonly name = 'MissingPrerequisite';
}

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url));
const services = resolve(fileURLToPath(new URL('../../../.services', import.meta.url)));
const INSTALL_MS = 5 * 60_000;

/** The path of the Python that has Synapse. `PYTHON` in the environment names another than `python3`. */
export async function installSynapse(): Promise<string> {
  const version = createHash('sha256')
    .update(await readFile(requirements))
    .digest('hex');
  const home = join(services, `synapse-${version.slice(0, 12)}`);
  const python = (folder: string) => join(folder, 'bin', 'python');
  if (existsSync(python(home))) return python(home);
  await mkdir(services, { recursive: true });
  const made = await mkdtemp(join(services, 'installing-'));
  try {
    await makeEnvironment(process.env.PYTHON ?? 'python3', made);
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:'];
    await run(python(made), [...pip, '-r', requirements], (said) => {
      const why = said.trim().split('\n').at(-1) ?? '';
      return `pip could not install Synapse. Is the Python package index reachable from here? It said: ${why}`;
    });
    await rename(made, home).catch((error: unknown) => {
      // Another run was as quick, and its environment is as good.
      if (!existsSync(python(home))) throw error;
    });
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  return python(home);
}

async function makeEnvironment(python: string, folder: string): Promise<void> {
  const recent = 'import sys; sys.exit(sys.version_info < (3, 10))';
  await run(python, ['-c', recent], () => `Synapse needs Python 3.10 or newer as ${python}.`);
  await run(
    python,
    ['-m', 'venv', folder],
    () => `${python} cannot make a virtual environment: install its venv module (Debian: python3-venv).`,
  );
}

function run(command: string, args: readonly string[], problem: (said: string) => string): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { timeout: INSTALL_MS }, (error, stdout, stderr) => {
      if (error) reject(new MissingPrerequisite(problem(stderr || stdout || error.message)));
      else resolve();
    });
  });
}
