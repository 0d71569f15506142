/**
 * Virtual time for real code: processes whose every call to a store or server is a point at which they may crash, freeze,
 * or lose the answer. Between two points a process runs alone. Everything follows from the seed.
 */
// The code imports it when it first has something to say; loading takes real time, which must not pass in a schedule.
import '../../functions/matrix/reply.ts';
import type { Clock, Random } from '../../functions/runtime/clock.ts';
import { type Chance, chance } from './chance.ts';

export type Process = {
  readonly id: number;
  dead: boolean;
  /** Does nothing before this time, then goes on as if nothing had been. */
  frozenUntil: number;
  /** The invocation's end; it dies then. */
  readonly end: number;
  readonly skew: number;
  readonly crashes: boolean;
  /** What it would have done while it was frozen. */
  readonly parked: Due[];
};

export type Faults = { crash: number; lost: number; freeze: number };

type Due = { at: number; order: number; process: Process | undefined; run: () => void };

const START = 1_764_500_000_000;

export class World {
  readonly chance: Chance;
  readonly faults: Faults;
  readonly violations = new Map<string, string>();
  now = START;
  /** The process that dies at its `left`-th call from now, before or after the call took effect. */
  doom: { readonly process: Process; left: number; readonly when: 'before' | 'after' } | undefined;
  /** No faults any more: everything must settle. */
  calm = false;
  steps = 0;
  private readonly heap: Due[] = [];
  private order = 0;
  private processes = 0;

  constructor(seed: number, faults: Partial<Faults> = {}) {
    this.chance = chance(seed);
    const { pick } = this.chance;
    this.faults = {
      crash: pick([0, 0.002, 0.006, 0.015]),
      lost: pick([0.01, 0.03, 0.08]),
      freeze: pick([0, 0.001, 0.004]),
      ...faults,
    };
  }

  get elapsed(): number {
    return this.now - START;
  }

  fail(what: string, detail = ''): void {
    if (!this.violations.has(what)) this.violations.set(what, detail);
  }

  process(lifeMs = Number.POSITIVE_INFINITY, crashes = true): Process {
    const skew = this.chance.below(800) - 400;
    return {
      id: ++this.processes,
      dead: false,
      frozenUntil: 0,
      end: this.now + lifeMs,
      skew,
      crashes,
      parked: [],
    };
  }

  /** Runs an async function as a process; what it throws is a violation, since real code has no such end. */
  spawn(process: Process | undefined, body: () => Promise<unknown>, delayMs = 0): void {
    this.schedule(process, delayMs, () => {
      body().catch((error: unknown) =>
        this.fail('a process threw', String((error as Error)?.stack ?? error)),
      );
    });
  }

  schedule(process: Process | undefined, delayMs: number, run: () => void): void {
    this.push({ at: this.now + delayMs + this.chance.unit(), order: this.order++, process, run });
  }

  /** Resolves after a while, if the process lives to see it. */
  pause(process: Process | undefined, ms: number): Promise<void> {
    return new Promise((resolve) => this.schedule(process, ms, resolve));
  }

  freeze(process: Process, probability: number, least: number, more: number): void {
    const { hit, below } = this.chance;
    if (!this.calm && process.crashes && hit(probability))
      process.frozenUntil = Math.max(process.frozenUntil, this.now + least + below(more));
  }

  /** Wakes a frozen process before its time. */
  wake(process: Process, inMs: number): void {
    if (process.frozenUntil <= this.now + inMs) return;
    process.frozenUntil = this.now + inMs;
    this.schedule(undefined, inMs, () => this.thaw(process));
  }

  private thaw(process: Process): void {
    if (process.frozenUntil > this.now) return;
    for (const due of process.parked.splice(0)) this.push({ ...due, at: this.now + this.chance.unit() });
  }

  /** One call over the network: it may be lost before or after it took effect, take effect late, or be the last. */
  async call<T>(process: Process, effect: () => T, lost: () => Error): Promise<T> {
    const { hit, below } = this.chance;
    const { faults } = this;
    await this.pause(process, this.latency());
    const doomed = this.doom?.process === process && --this.doom.left === 0 ? this.doom.when : undefined;
    if (doomed === 'before' || this.dies(process)) return this.never(process);
    if (!doomed && hit(faults.lost)) {
      const kind = below(3);
      if (kind === 1) unheard(effect);
      if (kind === 2) this.schedule(undefined, below(hit(0.3) ? 40_000 : 3_000), () => unheard(effect));
      await this.pause(process, 1_500);
      throw lost();
    }
    const answer = effect();
    if (doomed || this.dies(process)) return this.never(process);
    if (hit(0.3)) await this.pause(process, this.latency());
    return answer;
  }

  clock(process: Process): Clock {
    return {
      now: () => Math.round(this.now + process.skew),
      monotonic: () => this.now,
      sleep: (ms, signal) => {
        if (signal?.aborted) return Promise.resolve();
        return new Promise((resolve) => {
          signal?.addEventListener('abort', () => resolve(), { once: true });
          this.schedule(process, Math.max(0, ms), resolve);
        });
      },
    };
  }

  random(): Random {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return {
      unit: this.chance.unit,
      id: (length) => Array.from({ length }, () => alphabet[this.chance.below(64)]).join(''),
    };
  }

  /** Runs until `settled` says so (asked every so often), the time is over, or nothing is left to do. */
  async run(options: {
    untilMs: number;
    maxSteps: number;
    settled: () => boolean;
    everyStep?: () => void;
  }): Promise<void> {
    while (this.steps < options.maxSteps && this.elapsed < options.untilMs) {
      const due = this.pop();
      if (!due) return;
      this.now = Math.max(this.now, due.at);
      this.steps++;
      options.everyStep?.();
      if (this.steps % 32 === 0 && options.settled()) return;
      if (!this.mayRun(due)) continue;
      due.run();
      await new Promise(setImmediate);
    }
  }

  private mayRun(due: Due): boolean {
    const process = due.process;
    if (!process) return true;
    if (this.now > process.end) process.dead = true;
    if (process.dead) return false;
    if (process.crashes && !this.calm && this.chance.hit(this.faults.freeze))
      this.freeze(process, 1, this.chance.hit(0.6) ? 1_000 : 8_000, 30_000);
    if (process.frozenUntil <= this.now) return true;
    process.parked.push(due);
    this.schedule(undefined, process.frozenUntil - this.now, () => this.thaw(process));
    return false;
  }

  private latency(): number {
    const { hit, below } = this.chance;
    return hit(0.05) ? 100 + below(1_300) : 1 + below(25);
  }

  private dies(process: Process): boolean {
    if (process.crashes && !this.calm && this.chance.hit(this.faults.crash)) process.dead = true;
    return process.dead;
  }

  private never(process: Process): Promise<never> {
    process.dead = true;
    return new Promise(() => undefined);
  }

  private push(due: Due): void {
    const { heap } = this;
    heap.push(due);
    for (let i = heap.length - 1; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!earlier(heap[i]!, heap[parent]!)) break;
      [heap[i], heap[parent]] = [heap[parent]!, heap[i]!];
      i = parent;
    }
  }

  private pop(): Due | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    heap[0] = last;
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      let least = i;
      if (left < heap.length && earlier(heap[left]!, heap[least]!)) least = left;
      if (right < heap.length && earlier(heap[right]!, heap[least]!)) least = right;
      if (least === i) return first;
      [heap[i], heap[least]] = [heap[least]!, heap[i]!];
      i = least;
    }
  }
}

/** Nobody hears what comes of it. */
function unheard(effect: () => unknown): void {
  try {
    effect();
  } catch {
    // Refused, for all anybody knows.
  }
}

const earlier = (a: Due, b: Due) => a.at < b.at || (a.at === b.at && a.order < b.order);
