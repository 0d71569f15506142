/**
 * What the dev host keeps on disk: always its secrets and the registration file, so that a real homeserver can be told of
 * it once; with `--data` also the tables, the queues and the stand-in homeserver's rooms.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { registration } from '../../functions/matrix/registration.ts';
import type { WorldSnapshot } from './homeserver/world/snapshot.ts';

export type Tokens = { readonly as_token: string; readonly hs_token: string };

/** The bot, its prefix and its registration's id in development. */
export const BOT = { localpart: 'agent', prefix: 'agent_', id: 'turnpike-dev' } as const;

const ONLY_MINE = 0o600;

export async function readTokens(folder: string): Promise<Tokens> {
  return readOrMake(folder, 'tokens.json', () => ({ as_token: secret(), hs_token: secret() }));
}

/** What signs the sessions of clients. */
export async function readSessionKey(folder: string): Promise<string> {
  const { session_key: key } = await readOrMake(folder, 'session.json', () => ({ session_key: secret() }));
  return key;
}

const secret = () => randomBytes(32).toString('hex');

async function readOrMake<T>(folder: string, name: string, make: () => T): Promise<T> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  const kept = await readJson<T>(path);
  if (kept) return kept;
  const made = make();
  await writeFile(path, JSON.stringify(made), { mode: ONLY_MINE });
  return made;
}

/** Writes the registration file and returns its path. */
export async function writeRegistration(folder: string, url: string, server: string, tokens: Tokens) {
  const { as_token: asToken, hs_token: hsToken } = tokens;
  const made = registration({
    id: BOT.id,
    url,
    server,
    bot: BOT.localpart,
    prefix: BOT.prefix,
    asToken,
    hsToken,
  });
  const path = join(folder, 'registration.yaml');
  await writeFile(path, stringify(made), { mode: ONLY_MINE });
  return { path, registration: made };
}

export const snapshotPath = (folder: string): string => join(folder, 'homeserver.json');

export async function readSnapshot(folder: string | undefined): Promise<WorldSnapshot | undefined> {
  return folder === undefined ? undefined : readJson<WorldSnapshot>(snapshotPath(folder));
}

async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
