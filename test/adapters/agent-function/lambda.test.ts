import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startFunction } from '../../../bin/dev/host/function.ts';
import { requestOf } from '../../../functions/adapters/agent-function/request.ts';
import { systemClock } from '../../../functions/adapters/lambda/clock.ts';
import { chooseAgent } from '../../../functions/adapters/models/choose.ts';
import { inputOf } from '../../agent/input.ts';
import { numbered } from '../../contracts/agent.ts';
import { type Call, lambdaApi } from './lambda-api.ts';
import { allOf, readOut } from './read.ts';

const ARN = 'arn:aws:lambda:eu-west-1:123456789012:function:painter:live';
const never = new AbortController().signal;
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

async function serve(handle: (call: Call) => Promise<void> | void) {
  const api = await lambdaApi(handle);
  for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
  stops.push(api.stop);
  const config = { ownAgent: { functionArn: ARN }, localModelWordMs: 0, allowedTools: [] };
  return { calls: api.calls, agent: chooseAgent(config, systemClock) };
}

const input = inputOf('paint it blue');

async function outcome(handle: (call: Call) => Promise<void> | void) {
  const { agent, calls } = await serve(handle);
  return { ...(await readOut(agent.run(input, never))), calls: calls.length };
}

const SAID = '{"type":"text","text":"Blüe"}\n';
const told = [{ type: 'step-start' }, { type: 'text', text: 'Blüe' }];
const whole = [...told, { type: 'step-end', last: true }];

describe('an own agent that is a Lambda', () => {
  it('is invoked by its ARN with the request, and read as it writes', async () => {
    const { agent, calls } = await serve(async ({ chunk, complete }) => {
      const bytes = Buffer.from(`${SAID}{"type":"done"}\n`);
      for (const byte of bytes) chunk(Uint8Array.of(byte));
      complete();
    });
    expect(await allOf(agent.run(input, never))).toEqual(whole);
    expect(calls.map(({ path, payload }) => ({ path, payload }))).toEqual([
      {
        path: `POST /2021-11-15/functions/${encodeURIComponent(ARN)}/response-streaming-invocations`,
        payload: requestOf(input),
      },
    ]);
  });

  it('has its events passed on before it has ended', async () => {
    const end = Promise.withResolvers<void>();
    const { agent } = await serve(async ({ chunk, complete }) => {
      chunk(SAID);
      await end.promise;
      chunk('{"type":"done"}');
      complete();
    });
    const run = agent.run(input, never)[Symbol.asyncIterator]();
    expect([(await run.next()).value, (await run.next()).value]).toEqual(told);
    end.resolve();
    expect((await run.next()).value).toEqual(whole.at(-1));
    expect((await run.next()).done).toBe(true);
  });

  it('has failed if it says so at its end, whatever it had said', async () => {
    const failed = await outcome(({ chunk, complete }) => {
      chunk(`${SAID}{"type":"done"}\n`);
      complete({ ErrorCode: 'Function.Unhandled', ErrorDetails: 'secret' });
    });
    expect(failed).toEqual({ events: told, calls: 1, code: 'agent_failed' });
  });

  it('has broken off without its end, and is not called again', async () => {
    const silent = await outcome(({ chunk, response }) => {
      chunk(`${SAID}{"type":"done"}`);
      response.end();
    });
    expect(silent).toEqual({ events: told, calls: 1, code: 'agent_broke_off' });
    const cut = await outcome(({ chunk, response }) => {
      chunk(`${SAID}{"type":"done"}`);
      setTimeout(() => response.destroy(), 20);
    });
    expect(cut).toEqual({ events: told, calls: 1, code: 'agent_broke_off' });
  });

  it('is unavailable when the call is refused, and is not called again', async () => {
    for (const status of [403, 404, 429, 500, 503]) {
      const refused = await outcome(({ response }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end('{"message":"no"}');
      });
      expect(refused).toEqual({ events: [], calls: 1, code: 'agent_unavailable' });
    }
    const dead = await outcome(({ response }) => void response.destroy());
    expect(dead).toEqual({ events: [], calls: 1, code: 'agent_unavailable' });
  });

  it('is left when its turn is stopped, before its first byte and behind it', async () => {
    for (const first of ['', SAID]) {
      const reached = Promise.withResolvers<Call>();
      const { agent } = await serve((call) => {
        if (first) call.chunk(first);
        reached.resolve(call);
      });
      const stop = new AbortController();
      const run = allOf(agent.run(input, stop.signal));
      const { response } = await reached.promise;
      const closed = once(response, 'close');
      await new Promise((resolve) => setTimeout(resolve, 20));
      stop.abort();
      expect(await run).toEqual(first ? told : []);
      await closed;
    }
  });
});

describe('the example', () => {
  const lambda = () => {
    const handler = fileURLToPath(new URL('../../agent/example/lambda.ts', import.meta.url));
    const made = startFunction({ name: 'painter', handler, timeoutMs: 10_000, env: {} });
    stops.push(() => made.stop());
    return async ({ payload, chunk, complete }: Call) => {
      const outcome = await made.invokeStream(JSON.parse(payload), chunk);
      complete(outcome.status === 'error' ? { ErrorCode: outcome.error.errorType } : undefined);
    };
  };

  it('answers in steps, and goes on behind them', async () => {
    const { agent } = await serve(lambda());
    const events = await allOf(agent.run(input, never));
    expect(events.filter(({ type }) => type === 'step-end')).toHaveLength(3);
    expect(events.slice(0, 4)).toEqual([
      { type: 'step-start' },
      { type: 'text', part: 0, text: 'Attempt 1: ' },
      { type: 'text', part: 0, text: 'paint' },
      { type: 'step-end', usage: { inputTokens: 13, outputTokens: 5 } },
    ]);
    const rest = await allOf(agent.run({ ...input, attempt: 2, steps: numbered(events.slice(0, 8)) }, never));
    expect(rest).toEqual([
      { type: 'step-start' },
      { type: 'text', part: 2, text: 'Attempt 2: ' },
      { type: 'text', part: 2, text: 'blue' },
      { type: 'step-end', last: true, usage: { inputTokens: 13, outputTokens: 4 } },
    ]);
  });

  it('that dies has failed', async () => {
    const { agent } = await serve(lambda());
    const run = allOf(agent.run({ ...input, asked: [] }, never));
    await expect(run).rejects.toMatchObject({ code: 'agent_failed' });
  });
});
