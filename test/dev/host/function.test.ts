import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type LocalFunction, maxPayload } from '../../../bin/dev/host/function.ts';
import { fixture, payload, stream, testFunctions } from './functions.ts';

const { start, printed } = testFunctions();

describe('invoke', () => {
  it('fails when the answer is over 6 MB', async () => {
    const one = start('buffered');
    expect(await payload(one, { do: 'large', ms: maxPayload - 2 })).toHaveLength(maxPayload - 2);
    expect(await one.invoke({ do: 'large', ms: maxPayload - 1 })).toMatchObject({
      error: { errorType: 'Function.ResponseSizeTooLarge' },
    });
  });
});

describe('the end of a process', () => {
  it('by kill fails what runs as a crash, after what was written, and the next invocation starts another', async () => {
    const one = start('streaming');
    const hanging = stream(one, '/hang');
    await printed('hanging');
    await one.kill();
    const { outcome, text } = await hanging;
    expect(text).toMatch(/\0one two $/);
    expect(outcome).toMatchObject({
      status: 'error',
      error: {
        errorType: 'Runtime.ExitError',
        errorMessage: expect.stringMatching(
          /^RequestId: \S+ Error: Runtime exited with error: signal: killed$/,
        ),
      },
    });
    expect((await stream(one, '/plain')).text).toBe('plain');
  });

  it('is told when what was written has been taken', async () => {
    const one = start('streaming');
    const first = Promise.withResolvers<void>();
    let taken = false;
    const outcome = one.invokeStream({ rawPath: '/hang' }, async () => {
      first.resolve();
      await new Promise((resolve) => setTimeout(resolve, 100));
      taken = true;
    });
    await first.promise;
    await one.kill();
    expect(await outcome).toMatchObject({ error: { errorType: 'Runtime.ExitError' } });
    expect(taken).toBe(true);
  });

  it('by kill -9 reaches a handler that never yields', async () => {
    const one = start('buffered');
    const spinning = one.invoke({ do: 'spin' });
    await printed('doing spin');
    await one.kill();
    expect(await spinning).toMatchObject({ error: { errorType: 'Runtime.ExitError' } });
    await one.kill();
  });

  it('by itself fails what runs', async () => {
    const one = start('buffered');
    const both = await Promise.all([one.invoke({ do: 'hang' }), one.invoke({ do: 'exit' })]);
    for (const outcome of both)
      expect(outcome).toMatchObject({
        error: {
          errorType: 'Runtime.ExitError',
          errorMessage: expect.stringContaining('Runtime exited with error: exit status 3'),
        },
      });
    expect(await one.invoke({ do: 'reject behind its back' })).toMatchObject({
      error: { errorMessage: expect.stringContaining('exit status 1') },
    });
    expect(await payload(one, { do: 'echo', value: 2 })).toBe(2);
  });

  it('comes with a timeout, even of a handler that never yields', async () => {
    const one = start('buffered', { timeoutMs: 300 });
    await payload(one, { do: 'nothing' });
    const spinning = one.invoke({ do: 'spin' });
    expect(await spinning).toMatchObject({
      status: 'error',
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: expect.stringMatching(/^RequestId: \S+ Error: Task timed out after 0\.30 seconds$/),
      },
    });
    expect(await payload(one, { do: 'echo', value: 3 })).toBe(3);
  });

  it('does not touch an invocation that comes right after', async () => {
    const next = Promise.withResolvers<unknown>();
    const one: LocalFunction = start('buffered', {
      timeoutMs: 300,
      log: (_name, line) => {
        if (line.includes('Task timed out')) next.resolve(payload(one, { do: 'echo', value: 4 }));
      },
    });
    await one.invoke({ do: 'hang' });
    expect(await next.promise).toBe(4);
  });
});

describe('a process', () => {
  it('goes with its host, even by kill -9', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const host = spawn(process.execPath, [fixture('host'), String(port)], { stdio: 'inherit' });
    const [connection] = (await once(server, 'connection')) as [Socket];
    host.kill('SIGKILL');
    await once(connection.resume(), 'close');
    server.close();
  });

  it('leaves Ctrl-C to its host', async () => {
    const one = start('buffered');
    const { pid } = (await payload(one, { do: 'context' })) as { pid: number };
    const sleeping = payload(one, { do: 'sleep', ms: 30 });
    process.kill(pid, 'SIGINT');
    await sleeping;
    expect(await payload(one, { do: 'context' })).toMatchObject({ pid });
  });
});

describe('stop', () => {
  it('lets invocations end, takes none any more, and ends the process', async () => {
    const one = start('buffered', { start: 'now' });
    const { pid } = (await payload(one, { do: 'context' })) as { pid: number };
    const sleeping = one.invoke({ do: 'sleep', ms: 100 });
    const stopping = one.stop();
    expect(await one.invoke({ do: 'nothing' })).toMatchObject({ error: { errorType: 'Function.Stopped' } });
    expect(await sleeping).toMatchObject({ status: 'success' });
    await stopping;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('waits no longer than it was told', async () => {
    const one = start('buffered');
    const hanging = one.invoke({ do: 'hang' });
    await printed('doing hang');
    await one.stop(50);
    expect(await hanging).toMatchObject({ error: { errorType: 'Runtime.ExitError' } });
  });
});
