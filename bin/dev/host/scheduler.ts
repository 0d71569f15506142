/**
 * EventBridge Scheduler for `rate(…)` schedules: invokes a function every so often, first when that time has passed
 * once. A job never runs twice at once: what falls due while it runs is left out. A failed run is repeated a few times.
 */
import { randomUUID } from 'node:crypto';
import { localCredentials } from '../credentials.ts';
import type { LocalFunction, Outcome } from './function.ts';
import { drain, pause } from './waiting.ts';

export type Job = {
  readonly name: string;
  readonly function: Pick<LocalFunction, 'invoke'>;
  readonly everyMs: number;
};

export type Scheduler = {
  /** Runs a job now, or right after the run that is under way; resolves to how that went, repetitions included. */
  trigger(name: string): Promise<Outcome>;
  /** Nothing starts after this is called; what runs is awaited for up to `graceMs`. */
  stop(graceMs?: number): Promise<void>;
};

export function startScheduler(options: {
  readonly jobs: readonly Job[];
  /** How often a failed run is repeated, 2 by default, and after how many ms, 1,000 by default. */
  readonly retries?: number;
  readonly retryMs?: number;
  log?(line: string): void;
}): Scheduler {
  const { jobs, retries = 2, retryMs = 1_000 } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Of each job the run under way and the one that was asked for meanwhile. */
  const running = new Map<string, Promise<Outcome>>();
  const next = new Map<string, Promise<Outcome>>();

  const attempt = async (job: Job): Promise<Outcome> => {
    const event = scheduledEvent(job.name);
    for (let left = retries; ; left--) {
      if (signal.aborted) return stopped;
      const outcome = await job.function.invoke(event);
      if (outcome.status === 'success') return outcome;
      options.log?.(`${job.name}: ${outcome.error.errorType}`);
      if (left === 0) return outcome;
      await pause(retryMs, signal);
    }
  };
  const run = (job: Job): Promise<Outcome> => {
    const outcome = attempt(job).finally(() => running.delete(job.name));
    running.set(job.name, outcome);
    return outcome;
  };
  const runAfter = (job: Job, current: Promise<Outcome>): Promise<Outcome> => {
    const outcome = current.then(() => {
      next.delete(job.name);
      return run(job);
    });
    next.set(job.name, outcome);
    return outcome;
  };
  const timers = jobs.map((job) =>
    setInterval(() => {
      if (!running.has(job.name)) void run(job);
    }, job.everyMs),
  );

  return {
    async trigger(name) {
      const job = jobs.find((one) => one.name === name);
      if (!job) throw new RangeError(`no job is named ${name}`);
      const current = running.get(name);
      return next.get(name) ?? (current === undefined ? run(job) : runAfter(job, current));
    },
    async stop(graceMs = 5_000) {
      stopping.abort();
      for (const timer of timers) clearInterval(timer);
      await drain(running.values(), graceMs);
    },
  };
}

const stopped: Outcome = {
  status: 'error',
  error: { errorType: 'Scheduler.Stopped', errorMessage: 'The scheduler is stopped.' },
};

/** What Scheduler sends when a target names no input. Unlike in a rule's event, `detail` is a string. */
function scheduledEvent(name: string) {
  const { region } = localCredentials;
  const account = '000000000000';
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.scheduler',
    account,
    time: `${new Date().toISOString().slice(0, 19)}Z`,
    region,
    resources: [`arn:aws:scheduler:${region}:${account}:schedule/default/${name}`],
    detail: '{}',
  };
}
