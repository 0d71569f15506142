import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Outcome } from '../../../bin/dev/host/function.ts';
import { type Job, type Scheduler, startScheduler } from '../../../bin/dev/host/scheduler.ts';

const ok: Outcome = { status: 'success', payload: 'null' };
const failed: Outcome = { status: 'error', error: { errorType: 'RangeError', errorMessage: 'no luck' } };

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-30T12:00:00.789Z') });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A job whose runs are answered by hand, or at once by `answers` in turn. */
function job(name: string, everyMs: number, answers: Outcome[] = []) {
  const events: Record<string, unknown>[] = [];
  const open: ((outcome: Outcome) => void)[] = [];
  const described: Job = {
    name,
    everyMs,
    function: {
      async invoke(event) {
        events.push(event as Record<string, unknown>);
        return answers.shift() ?? (await new Promise<Outcome>((resolve) => open.push(resolve)));
      },
    },
  };
  const finish = async (outcome: Outcome) => {
    open.shift()!(outcome);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { job: described, events, finish };
}

const start = (jobs: Job[], options: { retries?: number; log?(line: string): void } = {}): Scheduler =>
  startScheduler({ jobs, retryMs: 1_000, ...options });

describe('a job', () => {
  it('runs each time its period has passed, with the event of Scheduler', async () => {
    const { job: sweep, events } = job('sweep', 60_000, [ok, ok, ok]);
    const scheduler = start([sweep]);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(events).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual([
      {
        version: '0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        'detail-type': 'Scheduled Event',
        source: 'aws.scheduler',
        account: '000000000000',
        time: '2026-11-30T12:01:00Z',
        region: 'us-east-1',
        resources: ['arn:aws:scheduler:us-east-1:000000000000:schedule/default/sweep'],
        detail: '{}',
      },
    ]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(new Set(events.map(({ id }) => id)).size).toBe(3);
    await scheduler.stop();
  });

  it('never runs twice at once, and does not hold up another', async () => {
    const slow = job('slow', 10);
    const quick = job('quick', 10, [ok, ok, ok, ok]);
    const scheduler = start([slow.job, quick.job]);
    await vi.advanceTimersByTimeAsync(35);
    expect(slow.events).toHaveLength(1);
    expect(quick.events).toHaveLength(3);
    await slow.finish(ok);
    expect(slow.events).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5);
    expect(slow.events).toHaveLength(2);
    await slow.finish(ok);
    await scheduler.stop();
  });

  it('is repeated a few times with the same event when it fails', async () => {
    const said: string[] = [];
    const { job: sweep, events } = job('sweep', 60_000, [failed, failed, failed, ok]);
    const scheduler = start([sweep], { log: (line) => said.push(line) });
    await vi.advanceTimersByTimeAsync(62_000);
    expect(events).toHaveLength(3);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    expect(said).toEqual(Array(3).fill('sweep: RangeError'));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(events).toHaveLength(3);
    await scheduler.stop();
  });
});

describe('trigger', () => {
  it('runs a job now and tells how it went in the end', async () => {
    const { job: sweep, events } = job('sweep', 60_000, [failed, ok]);
    const scheduler = start([sweep]);
    const outcome = scheduler.trigger('sweep');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await outcome).toEqual(ok);
    expect(events).toHaveLength(2);
    await scheduler.stop();
  });

  it('tells of a failure when the repetitions are used up', async () => {
    const { job: sweep } = job('sweep', 60_000, [failed]);
    const scheduler = start([sweep], { retries: 0 });
    expect(await scheduler.trigger('sweep')).toEqual(failed);
    await scheduler.stop();
  });

  it('starts a run of its own after the one under way, one for all that asked meanwhile', async () => {
    const { job: sweep, events, finish } = job('sweep', 60_000);
    const scheduler = start([sweep]);
    const first = scheduler.trigger('sweep');
    const others = [scheduler.trigger('sweep'), scheduler.trigger('sweep')];
    await vi.advanceTimersByTimeAsync(0);
    expect(events).toHaveLength(1);
    await finish(ok);
    expect(await first).toEqual(ok);
    expect(events).toHaveLength(2);
    const after = first.then(() => scheduler.trigger('sweep'));
    await finish(failed);
    await vi.advanceTimersByTimeAsync(1_000);
    await finish(ok);
    expect(await Promise.all(others)).toEqual([ok, ok]);
    expect(events).toHaveLength(4);
    await finish(ok);
    expect(await after).toEqual(ok);
    await scheduler.stop();
  });

  it('refuses a name that no job has', async () => {
    const scheduler = start([]);
    await expect(scheduler.trigger('none')).rejects.toThrow(RangeError);
    await scheduler.stop();
  });
});

describe('stop', () => {
  it('starts nothing any more, repetitions included, and waits for what runs', async () => {
    const { job: sweep, events, finish } = job('sweep', 10);
    const scheduler = start([sweep]);
    await vi.advanceTimersByTimeAsync(10);
    const next = scheduler.trigger('sweep');
    let stopped = false;
    const stopping = scheduler.stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(stopped).toBe(false);
    await finish(failed);
    await stopping;
    expect(events).toHaveLength(1);
    expect(await next).toMatchObject({ status: 'error', error: { errorType: 'Scheduler.Stopped' } });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('waits no longer than it was told', async () => {
    const { job: sweep } = job('sweep', 10);
    const scheduler = start([sweep]);
    await vi.advanceTimersByTimeAsync(10);
    const stopping = scheduler.stop(500);
    await vi.advanceTimersByTimeAsync(500);
    await stopping;
  });
});
