/** The commands `registration` and `connect`, as a person starts them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { main as connect } from '../../bin/connect.ts';
import { main as registration } from '../../bin/registration.ts';

async function run(command: typeof registration, args: string[], env: Record<string, string> = {}) {
  let [out, err] = ['', ''];
  const status = await command(args, env, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

const tokens = { AS_TOKEN: 'as-secret', HS_TOKEN: 'hs-secret' };
const given = ['--url', 'https://hook.example', '--server', 'hs.example'];

it.each(['registration', 'connect'])('%s starts from the command line', async (command) => {
  const file = fileURLToPath(new URL(`../../bin/${command}.ts`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [file, '--help']);
  expect(stdout).toContain('--server NAME');
});

describe('registration', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'registration-'));
  });
  afterEach(() => rm(folder, { recursive: true }));
  const file = async (text: string) => {
    const path = join(folder, 'registration.yaml');
    await writeFile(path, text);
    return path;
  };

  it('prints the file, with tokens from the environment', async () => {
    const { status, out, err } = await run(registration, [...given, '--bot', 'bot'], tokens);
    expect([status, err]).toEqual([0, '']);
    expect(parse(out)).toMatchObject({
      id: 'turnpike',
      as_token: 'as-secret',
      hs_token: 'hs-secret',
      sender_localpart: 'bot',
      namespaces: { aliases: [{ regex: '^#bot_[^:]*:hs\\.example$' }] },
    });
  });

  it('makes new tokens each time it is told to', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map(() => run(registration, [...given, '--generate'], tokens)),
    );
    const made = [one!, two!].flatMap(({ out }) => [parse(out).as_token, parse(out).hs_token] as string[]);
    expect(new Set(made).size).toBe(4);
    for (const token of made) expect(token).toMatch(/^[\w-]{43}$/);
  });

  it('prints nothing that has faults, and names all of them', async () => {
    const { status, out, err } = await run(
      registration,
      ['--url', 'https://hook.example/', '--server', 'hs.example', '--bot', 'a b'],
      { ...tokens, HS_TOKEN: 'as-secret' },
    );
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(/url: .*\n/);
    expect(err).toMatch(/sender_localpart: /);
    expect(err).toMatch(/hs_token: /);
    expect(err).not.toContain('secret');
  });

  it.each([
    [['--server', 'hs.example'], /--url/],
    [['--url', 'https://hook.example'], /--server/],
    [given, /AS_TOKEN or HS_TOKEN/],
    [[...given, '--wrong'], /--wrong/],
    [[...given, 'stray'], /stray/],
  ])('says what is missing: %j', async (args, words) => {
    const { status, out, err } = await run(registration, args);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(words);
  });

  it('checks a file', async () => {
    const { out } = await run(registration, given, tokens);
    const path = await file(out);
    expect(await run(registration, ['--check', path, '--server', 'hs.example'])).toEqual({
      status: 0,
      out: `${path}: no faults\n`,
      err: '',
    });
    const wide = await file(out.replace('turnpike_[^:]*', '.*').replace('hs-secret', '""'));
    const { status, err } = await run(registration, ['--check', wide, '--server', 'hs.example']);
    expect(status).toBe(1);
    expect(err).toMatch(/hs_token: .*\n.*which is not ours\n/);
    expect(await readFile(wide, 'utf8')).toContain('.*');
  });

  it('checks what is no file, or no YAML, without quoting it', async () => {
    const missing = await run(registration, ['--check', join(folder, 'none'), '--server', 'hs.example']);
    expect(missing).toMatchObject({ status: 1, err: expect.stringContaining('ENOENT') });
    const broken = await file('as_token: "as-secret');
    const { status, err } = await run(registration, ['--check', broken, '--server', 'hs.example']);
    expect([status, err.includes('secret')]).toEqual([1, false]);
    expect(err).toMatch(/no YAML: \w+ in line 1/);
  });

  it('tells how it is used', async () => {
    expect(await run(registration, ['--help'])).toMatchObject({
      status: 0,
      out: expect.stringContaining('--check'),
    });
  });
});

describe('connect', () => {
  it('makes the bot ready, in words', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      expect(request.headers.authorization).toBe('Bearer as-secret');
      const path = request.url!;
      const answer = path.endsWith('/whoami')
        ? { user_id: '@bot:hs' }
        : path.endsWith('/ping')
          ? { duration_ms: 2 }
          : {};
      request.resume();
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const homeserver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const args = [
        '--homeserver',
        homeserver,
        '--server',
        'hs',
        '--bot',
        'bot',
        '--id',
        'x',
        '--name',
        'Bot',
      ];
      expect(await run(connect, args, tokens)).toEqual({
        status: 0,
        out: '@bot:hs is registered.\nThe homeserver reaches the webhook in 2 ms.\n',
        err: '',
      });
      expect(seen).toEqual([
        'POST /_matrix/client/v3/register',
        'GET /_matrix/client/v3/account/whoami',
        'GET /_matrix/client/v3/profile/%40bot%3Ahs',
        'PUT /_matrix/client/v3/profile/%40bot%3Ahs/displayname',
        'POST /_matrix/client/v1/appservice/x/ping',
      ]);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it.each([
    [['--server', 'hs'], /--homeserver/],
    [['--homeserver', 'hs:80', '--server', 'hs'], /http or https/],
    [['--homeserver', 'http://127.0.0.1:1', '--server', ''], /no user id/],
    [['--homeserver', 'http://127.0.0.1:1', '--server', 'hs', '--avatar', 'http://x'], /mxc/],
    [['--homeserver', 'http://127.0.0.1:1', '--server', 'hs', '--wrong'], /--wrong/],
    [['--homeserver', 'http://127.0.0.1:1', '--server', 'hs'], /does not answer/],
  ])('says what is wrong: %j', async (args, words) => {
    const { status, out, err } = await run(connect, args, tokens);
    expect([status, out]).toEqual([1, '']);
    expect(err).toMatch(words);
  });

  it('says that the token is missing, and how it is used', async () => {
    const { err } = await run(connect, ['--homeserver', 'http://127.0.0.1:1', '--server', 'hs']);
    expect(err).toMatch(/AS_TOKEN/);
    expect(await run(connect, ['--help'])).toMatchObject({
      status: 0,
      out: expect.stringContaining('AS_TOKEN'),
    });
  });
});
