/** The dev host over the example agent as a process of its own: its words reach the room, and its steps outlive a worker. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../../../bin/dev/stack.ts';
import { ENV } from '../../../functions/adapters/lambda/env.ts';

type Line = { readonly type: string; readonly text?: string; readonly to?: number; readonly cursor: string };

const THINKING_MS = 300;
const printed: string[] = [];
let folder: string;
let agent: ChildProcess;
let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'turnpike-agent-'));
  const script = fileURLToPath(new URL('../../agent/example/server.ts', import.meta.url));
  agent = spawn(process.execPath, [script, '0', String(THINKING_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  createInterface({ input: agent.stdout! }).on('line', (line) => printed.push(line));
  await until(() => printed.length > 0);
  const env = { [ENV.agentUrl]: printed.shift()! };
  stack = await startStack({ folder, keep: false, port: 0, env, log: () => undefined });
});
afterAll(async () => {
  await stack?.stop();
  agent.kill();
  if (agent.exitCode === null && agent.signalCode === null) await once(agent, 'exit');
  await rm(folder, { recursive: true, force: true });
});

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; !holds(); ) {
    if (Date.now() > end) throw new Error('it never came true');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function say(as: string, text: string) {
  const body = JSON.stringify({ as, text });
  const answer = await fetch(`${stack.url}/dev/say`, { method: 'POST', body });
  return (await answer.json()) as { event: string; room: string; turn: string };
}

/** Every line of a turn, from its beginning to its end, as it comes. */
async function follow(turn: string, lines: Line[] = []): Promise<Line[]> {
  for (;;) {
    const response = await fetch(`${stack.url}/dev/turns/${turn}/events`);
    if (response.status === 404) {
      await response.body?.cancel();
      await new Promise((resolve) => setTimeout(resolve, 20));
      continue;
    }
    const input = response.body!.pipeThrough(new TextDecoderStream());
    let rest = '';
    for await (const chunk of input) {
      const whole = (rest + chunk).split('\n');
      rest = whole.pop()!;
      lines.push(...whole.filter(Boolean).map((line) => JSON.parse(line) as Line));
    }
    return lines;
  }
}

const roomSays = (room: string): string[] =>
  stack
    .standIn!.homeserver.world.timeline(room)
    .filter(({ sender, type }) => sender === '@agent:localhost' && type === 'm.room.message')
    .map(({ content }) => String(content.body));

const texts = (lines: readonly Line[]) =>
  lines.map(({ type, text }) => (type === 'text' ? text : '')).join('');

describe('an own agent in the dev host', () => {
  it('answers a message in its room', async () => {
    const { turn, room } = await say('alice', 'hello');
    expect((await follow(turn)).at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
    await until(() => roomSays(room).includes('Attempt 1: hello'));
  });

  it('is left when its message is taken back', async () => {
    const { event, turn, room } = await say('alice', 'one two three four five six seven eight nine ten');
    const lines: Line[] = [];
    const end = follow(turn, lines);
    await until(() => texts(lines).includes('two'));
    stack.standIn!.homeserver.world.redact('@alice:localhost', room, event);
    expect((await end).at(-1)).toMatchObject({ type: 'turn_status', status: 'cancelled' });
    await until(() => printed.includes('left alone'));
  });

  it('goes on behind its last step when the worker dies, or starts over without steps', async () => {
    const said = [
      await say('bob', 'paint the house blue please dear agent'),
      await say('carol', 'at once paint the house blue please dear agent'),
    ];
    const followed = said.map(({ turn }) => {
      const lines: Line[] = [];
      return { lines, end: follow(turn, lines) };
    });
    await until(() => followed.every(({ lines }) => texts(lines).includes('the')));
    await stack.functions.worker.kill();
    for (const { end } of followed) expect((await end).at(-1)).toMatchObject({ status: 'complete' });

    const replies = said.map(({ room }) => roomSays(room).at(-1)!.split('\n\n'));
    const words = ['paint', 'the', 'house', 'blue', 'please', 'dear', 'agent'];
    expect(replies[1]).toEqual(words.map((word) => `Attempt 2: ${word}`));
    const first = replies[0]!.filter((paragraph) => paragraph.startsWith('Attempt 1: ')).length;
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(words.length);
    expect(replies[0]).toEqual(words.map((word, index) => `Attempt ${index < first ? 1 : 2}: ${word}`));

    const rewinds = followed.map(({ lines }) => lines.find(({ type }) => type === 'rewind')!.to!);
    // Behind the turn's own start there is nothing to keep without steps.
    expect(rewinds[1]).toBe(1);
    expect(rewinds[0]).toBeGreaterThan(1);
  });
});
