import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FunctionProcess, startProcess } from '../../../bin/dev/host/process.ts';
import { fixture } from './functions.ts';

const started: FunctionProcess[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const one of started) one.kill();
  await Promise.all(started.splice(0).map((one) => one.gone));
});

function start(name: string): FunctionProcess {
  const one = startProcess({ handler: fixture(name), exportName: 'handler', env: {}, log() {} });
  started.push(one);
  return one;
}
const echo = (one: FunctionProcess) => one.invoke('id', '{"do":"echo","value":1}', 1_000, () => {});
const killed = { errorType: 'Runtime.ExitError', errorMessage: 'Runtime exited with error: signal: killed' };

describe('a process', () => {
  it('has 10 s to load its handler', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const one = start('never-loaded');
    vi.advanceTimersByTime(10_000);
    expect(await one.ready).toEqual(killed);
  });

  it('has all the time it needs after that', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const one = start('buffered');
    expect(await one.ready).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    expect(await echo(one)).toMatchObject({ status: 'success' });
  });

  it('fails what it is given when it is gone', async () => {
    const one = start('buffered');
    await one.ready;
    one.kill();
    expect(await echo(one)).toMatchObject({ error: { errorType: 'Runtime.ExitError' } });
    await one.gone;
    expect(await echo(one)).toEqual({
      status: 'error',
      error: { ...killed, errorMessage: `RequestId: id Error: ${killed.errorMessage}` },
    });
  });
});
