/**
 * The worker is killed in mid-turn: how long until another worker has taken the turn over, from the kill to the first
 * event of the new attempt. Three turns at once, killed together; the slowest counts, since the target is a promise.
 */
import type { Bench } from './bench.ts';
import { AT_ONCE, withStack } from './running.ts';

const PEOPLE = ['alice', 'bob', 'carol'];

export const takeover: Bench = {
  figures: { takeover_queue_s: { unit: 's', target: '<= 60' } },
  measure: () =>
    withStack({ env: AT_ONCE }, async ({ stack }) => {
      const turns = await Promise.all(PEOPLE.map((person) => ask(stack.url, person)));
      const followed = turns.map((turn) => follow(stack.url, turn));
      await Promise.all(followed.map((lines) => first(lines, 'text')));
      const killed = performance.now();
      await stack.functions.worker.kill();
      const taken = await Promise.all(
        followed.map((lines) => first(lines, 'rewind').then(() => performance.now() - killed)),
      );
      await Promise.all(followed.map((lines) => lines.return(undefined)));
      return { takeover_queue_s: Math.max(...taken) / 1_000 };
    }),
};

/** A turn that says a number a second. */
async function ask(url: string, person: string): Promise<string> {
  const body = JSON.stringify({ as: person, room: 'dm', text: 'count to 300' });
  const said = (await (await fetch(`${url}/dev/say`, { method: 'POST', body })).json()) as { turn: string };
  return said.turn;
}

type Line = { readonly type: string };

async function* follow(url: string, turn: string): AsyncGenerator<Line, undefined> {
  const response = await opened(`${url}/dev/turns/${turn}/events`);
  let rest = '';
  for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as Line;
  }
  return undefined;
}

/** A turn is known a moment after its decision. */
async function opened(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url);
    if (response.status !== 404) return response;
    await response.body?.cancel();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function first(lines: AsyncGenerator<Line>, type: string): Promise<void> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the turn ended before its ${type}`);
    if ((value as Line).type === type) return;
  }
}
