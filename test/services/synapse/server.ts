/**
 * A real Synapse on a loopback port, in a process group of its own. It may be stopped, killed and started again over what
 * it keeps. It ends with the process that started it, however that ends, so nothing outlives a run that is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { LOG, writeConfiguration } from './configuration.ts';
import { installSynapse } from './install.ts';

export type Synapse = {
  /** Of its client-server API. */
  readonly url: string;
  /** Its server_name. */
  readonly server: string;
  /** What it has logged so far. */
  log(): Promise<string>;
  start(): Promise<void>;
  /** Ends it in good order; what it keeps is there at its next start. */
  stop(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
  /** Ends it, and removes what it keeps. */
  remove(): Promise<void>;
};

const runner = fileURLToPath(new URL('run.py', import.meta.url));
const READY_MS = 60_000;
const STOP_MS = 10_000;

/** Installs it if needed, and resolves when it answers. `registrations` are paths of application services' files. */
export async function startSynapse(options: {
  readonly registrations: readonly string[];
  readonly server?: string;
  readonly port?: number;
}): Promise<Synapse> {
  const { registrations, server = 'localhost', port = await freePort() } = options;
  const python = await installSynapse();
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-synapse-'));
  const configuration = await writeConfiguration({ folder, port, server, registrations });
  const url = `http://127.0.0.1:${port}`;
  let running: ChildProcess | undefined;

  const log = () => readFile(join(folder, LOG), 'utf8').catch(() => '');
  const end = async (signal: NodeJS.Signals) => {
    const child = running;
    running = undefined;
    if (!child || hasEnded(child)) return;
    const ended = once(child, 'exit');
    process.kill(-child.pid!, signal);
    const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(late);
  };
  const start = async () => {
    const printed = join(folder, 'printed.log');
    const output = openSync(printed, 'a');
    const child = spawn(python, [runner, '--config-path', configuration], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', output, output],
    });
    closeSync(output);
    await once(child, 'spawn');
    running = child;
    const answers = async () => {
      if (hasEnded(child))
        throw new Error(`Synapse did not start:\n${await readFile(printed, 'utf8')}${await log()}`);
      return fetch(`${url}/_matrix/client/versions`).then(
        (response) => response.ok,
        () => false,
      );
    };
    await until('Synapse to answer', answers, READY_MS);
  };
  const synapse: Synapse = {
    url,
    server,
    log,
    start,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    async remove() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
  try {
    await start();
    return synapse;
  } catch (error) {
    await synapse.remove();
    throw error;
  }
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
