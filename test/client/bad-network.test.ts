/** 2,000 turns through a bad network, with each client and format: every one ends with the exact text. */
import { readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { createChatTransport } from '../../functions/client/ai-sdk.ts';
import { createClient, type Format } from '../../functions/client/client.ts';
import { chance } from '../model/chance.ts';
import { badNetwork, TURN } from './bad-network.ts';
import { logBy } from './log.ts';

const RUNS = Number(process.env.MODEL_RUNS ?? 2_000);
const SEED = Number(process.env.MODEL_SEED ?? 1);
const url = 'http://streams.example';

const placeIn = (cursor: string) => {
  const [attempt, seq] = cursor.split('.').map(Number) as [number, number];
  return attempt * 1e6 + seq;
};

async function each(run: (seed: number) => Promise<void>): Promise<void> {
  for (let seed = SEED; seed < SEED + RUNS; seed++)
    await run(seed).catch((error: unknown) => {
      throw new Error(`MODEL_SEED=${seed} MODEL_RUNS=1: ${String(error)}`);
    });
}

describe('through a bad network', () => {
  it.each<Format>(['ndjson', 'sse'])('turnpike/client ends with the exact text, by %s', (format) =>
    each(async (seed) => {
      const by = chance(seed);
      const log = logBy(by);
      const client = createClient({ url, token: 'session', format, platform: badNetwork(log, by) });
      const turn = by.hit(0.5) ? client.start({ conversation: 'c', text: 'x' }) : client.follow(TURN);
      let shown = '';
      const places: number[] = [];
      turn.onEvent((line) => {
        if ('from' in line) places.push(placeIn(line.cursor));
        shown = turn.text;
      });
      const ended = await turn.done;
      expect([ended.status, turn.text, shown]).toEqual(['complete', log.text, log.text]);
      // Each line once, and no attempt behind a later one.
      expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
      expect(await turn.id).toBe(TURN);
    }),
  );

  it('turnpike/ai-sdk ends with the exact text', () =>
    each(async (seed) => {
      const by = chance(seed);
      const log = logBy(by);
      const transport = createChatTransport({ url, token: 'session', platform: badNetwork(log, by) });
      const asked: UIMessage = { id: 'm', role: 'user', parts: [{ type: 'text', text: 'x' }] };
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'c',
        messageId: undefined,
        messages: [asked],
        abortSignal: undefined,
      });
      let last: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message;
      const texts = last!.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      expect(texts.join('')).toBe(log.words);
    }));
});
