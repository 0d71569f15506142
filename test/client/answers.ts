/** A server that gives the answers it is told to, without a network and without waiting. */
import { createClient } from '../../functions/client/client.ts';
import type { Platform } from '../../functions/client/platform.ts';
import type { Line } from '../../functions/client/wire.ts';

export const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
export const word = (seq: number, text = 'x'): Line => ({
  type: 'text',
  text,
  from: seq,
  cursor: `1.${seq}`,
});
export const last = (seq: number): Line => ({
  type: 'turn_status',
  status: 'complete',
  from: seq,
  cursor: `1.${seq}`,
});
export const stream =
  (...lines: Line[]) =>
  () =>
    new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
      headers: { 'content-type': 'application/x-ndjson', 'x-turnpike-turn': TURN },
    });
export const refusal =
  (status: number, code: string, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { code, message: code, turn: 'other' } }, { status, headers });

type Call = { readonly method: string; readonly url: string; readonly token: string; readonly body: unknown };

/** A client of a server that gives these answers, one after the other, and the last for ever. */
export function clientOf(...answers: (() => Response | Promise<Response>)[]) {
  const calls: Call[] = [];
  const slept: number[] = [];
  let time = 0;
  const platform: Platform = {
    async fetch(input, init = {}) {
      calls.push({
        method: init.method!,
        url: String(input),
        token: new Headers(init.headers).get('authorization')!,
        body: init.body ? (JSON.parse(init.body as string) as unknown) : undefined,
      });
      const next = answers.length > 1 ? answers.shift()! : answers[0]!;
      return next();
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (ms >= 20_000) return signal?.addEventListener('abort', () => resolve(), { once: true });
        slept.push(ms);
        time += ms;
        resolve();
      }),
    random: () => 0.5,
    now: () => time,
    key: () => 'made',
  };
  const client = createClient({ url: 'https://x/', control: 'https://y', token: 't', platform });
  return { client, calls, slept, platform };
}
