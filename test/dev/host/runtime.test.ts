import { describe, expect, it } from 'vitest';
import { payload, stream, testFunctions } from './functions.ts';

const { start, lines, printed } = testFunctions();

describe('a buffered handler', () => {
  it('gets the event and gives its answer as JSON', async () => {
    const value = { text: 'é\u0000', nested: [1, null], lone: '\ud800' };
    expect(await payload(start('buffered'), { do: 'echo', value })).toEqual(value);
  });

  it('answers null when it returns nothing', async () => {
    expect(await payload(start('buffered'), { do: 'nothing' })).toBeNull();
  });

  it('is the export that was named', async () => {
    expect(await payload(start('buffered', { exportName: 'other' }), {})).toBe('the other one');
  });

  it('fails with the type and message of what it throws, and goes on', async () => {
    const one = start('buffered');
    expect(await one.invoke({ do: 'throw' })).toMatchObject({
      status: 'error',
      error: {
        errorType: 'RangeError',
        errorMessage: 'no luck',
        trace: expect.arrayContaining([expect.stringContaining('fixtures/buffered.ts')]),
      },
    });
    expect(await one.invoke({ do: 'throw text' })).toMatchObject({
      error: { errorType: 'string', errorMessage: 'no luck' },
    });
    expect(await payload(one, { do: 'echo', value: 1 })).toBe(1);
  });

  it('runs many invocations at a time', async () => {
    const one = start('buffered', { start: 'now' });
    await payload(one, { do: 'nothing' });
    const from = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => payload(one, { do: 'sleep', ms: 100 })));
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});

describe('the context and the environment', () => {
  it('are those of Lambda', async () => {
    const one = start('buffered', { memoryMB: 256 });
    const [first, second] = await Promise.all([
      payload(one, { do: 'context' }) as Promise<Record<string, unknown>>,
      payload(one, { do: 'context' }) as Promise<Record<string, unknown>>,
    ]);
    expect(first).toMatchObject({
      functionName: 'buffered',
      functionVersion: '$LATEST',
      memoryLimitInMB: '256',
      invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:buffered',
      logGroupName: '/aws/lambda/buffered',
    });
    expect(first.awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.awsRequestId).not.toBe(first.awsRequestId);
    expect(second.pid).toBe(first.pid);
  });

  it('count down the time that is left', async () => {
    const [before, after] = (await payload(start('buffered'), { do: 'remaining' })) as [number, number];
    expect(before).toBeGreaterThan(4_500);
    expect(before).toBeLessThanOrEqual(5_000);
    expect(before - after).toBeGreaterThanOrEqual(19);
  });

  it('hold what was given and what Lambda sets, and nothing of the host', async () => {
    process.env.SECRET_OF_THE_HOST = 'x';
    const env = await payload(start('buffered', { env: { OWN: 'y', AWS_REGION: 'eu-west-1' } }), {
      do: 'environment',
    });
    delete process.env.SECRET_OF_THE_HOST;
    expect(env).toMatchObject({
      OWN: 'y',
      AWS_REGION: 'eu-west-1',
      AWS_LAMBDA_FUNCTION_NAME: 'buffered',
      AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
      _HANDLER: 'buffered.handler',
    });
    expect(env).not.toHaveProperty('SECRET_OF_THE_HOST');
    expect(env).not.toHaveProperty('HOME');
  });

  it('print to the log of the host, line by line', async () => {
    const one = start('buffered');
    await one.invoke({ do: 'throw' });
    await printed('doing throw');
    await printed('Invoke Error RangeError: no luck');
  });
});

describe('a handler that cannot be used', () => {
  it('fails each invocation with the reason', async () => {
    const one = start('unloadable');
    for (let n = 0; n < 2; n++)
      expect(await one.invoke({})).toMatchObject({
        status: 'error',
        error: { errorType: 'SyntaxError', errorMessage: 'a missing variable' },
      });
    expect(await start('buffered', { exportName: 'none' }).invoke({})).toMatchObject({
      error: { errorMessage: expect.stringContaining('exports no function named none') },
    });
    expect(await start('nowhere').invoke({})).toMatchObject({ error: { errorType: 'Error' } });
  });

  it('is one that takes a callback, and a streaming one that is not async', async () => {
    expect(await start('buffered', { exportName: 'withCallback' }).invoke({})).toMatchObject({
      error: { errorMessage: expect.stringContaining('callback') },
    });
    expect(await start('streaming', { exportName: 'synchronous' }).invoke({})).toMatchObject({
      error: { errorMessage: 'Streaming does not support non-async handlers.' },
    });
  });
});

describe('a streaming handler', () => {
  const prelude = /^\{"statusCode":201,"headers":\{.*\},"cookies":\[.*\]\}\0{8}/;
  const contentType = 'application/vnd.awslambda.http-integration-response';

  it('sends each chunk when it is written, the prelude before the first', async () => {
    const one = start('streaming', { start: 'now' });
    const { outcome, chunks, text } = await stream(one, '/chunks', { ms: '150' });
    expect(outcome).toEqual({ status: 'success', contentType });
    expect(text).toMatch(prelude);
    expect(chunks.slice(2).map((chunk) => chunk.text)).toEqual(['one ', 'two ', 'three']);
    expect(new Set(chunks.map((chunk) => chunk.contentType))).toEqual(new Set([contentType]));
    expect(chunks[3]!.at - chunks[2]!.at).toBeGreaterThan(75);
  });

  it('may write without a prelude, objects as JSON, and bytes as they are', async () => {
    const one = start('streaming');
    expect(await stream(one, '/plain')).toMatchObject({
      outcome: { status: 'success', contentType: 'text/plain' },
      text: 'plain',
    });
    expect((await stream(one, '/object')).text).toMatch(/\0\{"an":"object"\}$/);
    expect((await stream(one, '/bytes')).chunks.at(-1)!.text).toBe('\0\0\0\0\0\0\0\0\ufffd');
  });

  it('sends the prelude with an empty write, but not with end alone', async () => {
    const one = start('streaming');
    const empty = await stream(one, '/empty');
    expect(empty.text).toMatch(prelude);
    expect(empty.chunks).toHaveLength(2);
    expect(await stream(one, '/end-only')).toMatchObject({ outcome: { contentType }, text: '' });
    expect((await stream(one, '/end-with-data')).text).toBe('data without a prelude');
  });

  it('fails before or after its first byte, after what it wrote', async () => {
    const one = start('streaming');
    const error = { errorType: 'RangeError', errorMessage: 'no luck' };
    expect(await stream(one, '/throw-first')).toMatchObject({ outcome: { error }, text: '' });
    expect(await stream(one, '/throw-before-write')).toMatchObject({ outcome: { error }, text: '' });
    const after = await stream(one, '/throw-after');
    expect(after).toMatchObject({ outcome: { status: 'error', error } });
    expect(after.text).toMatch(/\0one $/);
  });

  it('cannot change its content type after the first write, and what it returns is ignored', async () => {
    const one = start('streaming');
    expect((await stream(one, '/late-content-type')).outcome).toMatchObject({
      error: { errorMessage: 'Cannot set content-type, too late.' },
    });
    expect((await stream(one, '/return-value')).outcome).toEqual({ status: 'success', contentType });
    await printed('Streaming handlers ignore return values.');
  });

  it('runs into its timeout when it does not end its stream', async () => {
    const one = start('streaming', { timeoutMs: 300 });
    await stream(one, '/plain');
    expect((await stream(one, '/no-end')).outcome).toMatchObject({
      error: { errorType: 'Sandbox.Timedout' },
    });
  });

  it('waits for a slow taker', async () => {
    const one = start('streaming');
    const taken = Promise.withResolvers<void>();
    let length = 0;
    const outcome = one.invokeStream({ rawPath: '/large' }, (bytes) => {
      length += bytes.length;
      return taken.promise;
    });
    await printed('doing /large');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lines).not.toContain('all written');
    taken.resolve();
    expect((await outcome).status).toBe('success');
    expect(length).toBeGreaterThan(64 * 64 * 1024);
  });

  it('gives invoke all that it wrote', async () => {
    expect(await start('streaming').invoke({ rawPath: '/plain' })).toEqual({
      status: 'success',
      payload: 'plain',
    });
  });
});
