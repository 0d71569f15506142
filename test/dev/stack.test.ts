/**
 * The dev host whole, over the sources of the functions: a message's way to its reply, a death in mid-turn, a restart that
 * keeps everything, and the logs of all of it, in which no word, token or query may stand.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTokens } from '../../bin/dev/folder.ts';
import { PortInUse } from '../../bin/dev/front-door.ts';
import { type Stack, startStack } from '../../bin/dev/stack.ts';

type Said = {
  readonly event: string;
  readonly room: string;
  readonly turn?: string;
  readonly decision: { readonly respond: boolean; readonly reason: string };
};
type Line = {
  readonly type: string;
  readonly text?: string;
  readonly status?: string;
  readonly cursor?: string;
};

const SECRET = 'canary';
const lines: string[] = [];
let folder: string;
let stack: Stack;

const start = (env: Record<string, string> = {}) =>
  startStack({
    folder,
    keep: true,
    port: 0,
    env: { LOCAL_MODEL_WORD_MS: '0', ...env },
    log: (name, line) => void lines.push(`${name} ${line}`),
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-stack-'));
  stack = await start();
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

const post = (path: string, body: object = {}) =>
  fetch(`${stack.url}${path}`, { method: 'POST', body: JSON.stringify(body) });

async function say(text: string, more: object = {}): Promise<Said> {
  const answer = await post('/dev/say', { text: `${text} ${SECRET}`, ...more });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Said;
}

async function follow(turn: string): Promise<Line[]> {
  for (;;) {
    const response = await fetch(`${stack.url}/dev/turns/${turn}/events`);
    if (response.status !== 404)
      return (await response.text())
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const textOf = (followed: readonly Line[]) =>
  followed.map(({ type, text }) => (type === 'text' ? text : '')).join('');

function roomSays(room: string): string[] {
  const { world } = stack.standIn!.homeserver;
  return world
    .timeline(room)
    .filter(({ sender, type }) => sender === '@agent:localhost' && type === 'm.room.message')
    .map(({ content }) => String(content.body));
}

async function until(holds: () => boolean, ms = 10_000): Promise<void> {
  for (const end = Date.now() + ms; !holds(); ) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('the dev host', () => {
  it('answers a direct message, and the room has what the log says', async () => {
    const { turn, decision, room } = await say('hello');
    expect(decision).toMatchObject({ respond: true, reason: 'dm' });
    const followed = await follow(turn!);
    expect(followed.at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
    expect(textOf(followed)).toContain('hello');
    await until(() => roomSays(room).includes(textOf(followed)));
  });

  it('leaves alone what is not meant for it in a group, and answers a mention', async () => {
    expect(await say('nice weather', { as: 'bob', room: 'lobby' })).toMatchObject({
      decision: { respond: false, reason: 'ignored' },
    });
    const { turn, decision } = await say('@agent hello', { as: 'bob', room: 'lobby' });
    expect(decision.reason).toBe('mentioned');
    expect((await follow(turn!)).at(-1)).toMatchObject({ status: 'complete' });
  });

  it('says what is wrong with a request, and serves no other page', async () => {
    expect((await post('/dev/say', { text: 'x', as: 'nobody' })).status).toBe(400);
    expect((await post('/dev/say', { text: 'x', room: 'nowhere' })).status).toBe(400);
    expect((await post('/dev/kill/nothing')).status).toBe(404);
    expect((await fetch(`${stack.url}/dev/turns/x/events?after=odd`)).status).toBe(400);
    const foreign = await fetch(`${stack.url}/dev/say`, {
      method: 'POST',
      headers: { origin: 'http://evil.example' },
      body: '{"text":"x"}',
    });
    expect(foreign.status).toBe(403);
  });

  it('lets in nobody without the token, and hears no words from them', async () => {
    const path = `${stack.url}/_matrix/app/v1/transactions/9`;
    const body = JSON.stringify({ events: [{ body: SECRET }] });
    expect((await fetch(`${path}?access_token=wrong-${SECRET}`, { method: 'PUT', body })).status).toBe(403);
    expect((await fetch(path, { method: 'PUT', body })).status).toBe(401);
    const { hs_token } = await readTokens(folder);
    const odd = await fetch(`${path}?access_token=${hs_token}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: `{"events":[{"content":"${SECRET}"}]}`,
    });
    expect([odd.status, await odd.json()]).toEqual([200, {}]);
    expect(
      (
        await fetch(`${path}?access_token=${hs_token}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: SECRET,
        })
      ).status,
    ).toBe(400);
  });

  it('ends in one reply though the worker dies in mid-turn', { timeout: 90_000 }, async () => {
    const { turn, room } = await say('count to 4', { as: 'carol' });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect((await post('/dev/kill/worker')).status).toBe(200);
    const followed = await follow(turn!);
    expect(followed.map(({ type }) => type)).toContain('rewind');
    expect(followed.at(-1)).toMatchObject({ status: 'complete' });
    await until(() => roomSays(room).filter((body) => body === '1, 2, 3, 4.').length === 1);
  });

  it('keeps rooms, tables and queues over a restart', { timeout: 60_000 }, async () => {
    const { room } = await say('before the restart');
    await until(() => roomSays(room).some((body) => body.includes('before the restart')));
    await stack.stop();
    stack = await start();
    expect(roomSays(room).some((body) => body.includes('before the restart'))).toBe(true);
    const { turn } = await say('after it');
    expect(textOf(await follow(turn!))).toMatch(/earlier messages/);
  });

  it('says plainly that a port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(startStack({ folder, keep: false, port, log: () => undefined })).rejects.toThrow(PortInUse);
    await new Promise((resolve) => taken.close(resolve));
  });

  it('logged none of the words, tokens or queries of all that', async () => {
    const { as_token, hs_token } = await readTokens(folder);
    const logged = lines.join('\n');
    expect(logged).toContain('Accepted');
    for (const secret of [SECRET, as_token, hs_token, 'access_token=', 'Bearer '])
      expect(logged).not.toContain(secret);
  });
});
