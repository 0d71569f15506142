/**
 * Schedules written by hand, for shortcuts that chance finds once in thousands. A script runs processes of the real code
 * up to a call, holds them there, lets others pass, and releases them; nothing else goes wrong.
 */
import { cancel } from '../../functions/turns/cancel.ts';
import { putConsent } from '../../functions/turns/consent.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { createQueued } from '../../functions/turns/start.ts';
import type { WorkDeps } from '../../functions/work/ports.ts';
import { receiveTurn } from '../../functions/work/receive.ts';
import { startHere } from '../../functions/work/start-here.ts';
import { follows } from './actors.ts';
import { Client } from './client.ts';
import { judge, judgeClient } from './judge.ts';
import { type Mutant, System, type Turn } from './system.ts';
import { type Process, World } from './world.ts';

const CALM = { crash: 0, lost: 0, freeze: 0 };
const plan = { steps: 1, ask: -1, tool: -1, limitMs: 1e6 };

/** One script: the system, and words to move it. */
class Stage {
  readonly world = new World(7, CALM);
  readonly system: System;

  constructor(mutant: Mutant) {
    this.system = new System(this.world, mutant);
    this.world.calm = true;
  }

  worker(turn: Turn, agent?: WorkDeps['agent']): Process {
    const { world, system } = this;
    const process = world.process(3_600_000, false);
    const deps = system.deps(process, turn);
    const work = {
      turn: turn.id,
      queue: 'turns',
      sentAt: world.now,
      invocation: system.invocation(process),
    } as const;
    world.spawn(process, () => receiveTurn(agent ? { ...deps, agent } : deps, work));
    return process;
  }

  queued(turn: Turn): Promise<void> {
    return createQueued(this.system.table(this.world.process(1e6, false)), turn.id, turn.meta);
  }

  async until(what: () => boolean): Promise<void> {
    for (let waited = 0; !what(); waited++) {
      if (waited > 5_000) throw new Error('the script waits for ever');
      await this.world.pause(undefined, 10);
    }
  }

  /** Holds a process at its next call of that name, before it takes effect; returns when it is there. */
  hold(process: Process, op: string): { there(): Promise<void>; release(): void } {
    const held = this.system.log.steering.holdAt(process, op);
    return {
      there: () => this.until(() => held.reached),
      release: () => {
        held.released = true;
      },
    };
  }

  async end(turns: readonly Turn[]): Promise<void> {
    for (const turn of turns) {
      const client = new Client((what) => this.world.fail(what));
      await Promise.race([follows(this.system, turn, client), this.world.pause(undefined, 200_000)]);
      judgeClient(this.system, turn, client, 'a late joiner');
      judge(this.system, turn);
    }
  }
}

/** An agent that says these events, one batch at a time, and then ends. */
const says = (batches: readonly (readonly TurnEvent[])[], pauseMs = 400): WorkDeps['agent'] => ({
  async *run(): AsyncGenerator<TurnEvent> {
    for (const batch of batches) {
      yield* batch;
      await new Promise<void>((resolve) => current.world.schedule(undefined, pauseMs, resolve));
    }
    yield { type: 'text', part: 0, text: '<0.1.1:0>' };
    yield { type: 'step-end', last: true };
  },
});
let current: Stage;

const filler = (n: number): TurnEvent[] =>
  Array.from({ length: n }, (_, i) => ({ type: 'data', n: i, fill: 'x'.repeat(300) }));

export const scripts: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  /** A taker has read the tail; the owner's batch, long under way, arrives; then the taker writes. */
  async 'takeover without the tail'(stage) {
    const { world, system } = stage;
    const turn = system.turn(plan, 'matrix');
    await stage.queued(turn);
    const owner = stage.worker(turn, says([[{ type: 'text', part: 0, text: 'a' }], []], 60_000));
    await stage.until(() => (system.log.head(turn.id)?.tail ?? 0) >= 1);
    const batch = stage.hold(owner, 'append plain');
    await batch.there();
    await world.pause(undefined, 14_000);
    const taker = stage.worker(turn);
    const take = stage.hold(taker, 'take over');
    await take.there();
    const tail = system.log.head(turn.id)!.tail;
    batch.release();
    await stage.until(() => system.log.head(turn.id)!.tail > tail);
    take.release();
    await stage.until(() => system.log.head(turn.id)!.status === 'complete');
    await stage.end([turn]);
  },

  /** Somebody ends a turn whose owner seems dead; it has woken and renewed its lease by then. */
  async 'close under a fresh lease'(stage) {
    const { world, system } = stage;
    const turn = system.turn(plan, 'matrix');
    await stage.queued(turn);
    const owner = stage.worker(turn, says([[{ type: 'text', part: 0, text: 'a' }], []], 8_000));
    await stage.until(() => (system.log.head(turn.id)?.tail ?? 0) >= 2);
    owner.frozenUntil = world.now + 14_000;
    await world.pause(undefined, 13_000);
    const stopper = world.process(1e6, false);
    const held = stage.hold(stopper, 'close foreign');
    // The cancel is acknowledged only by closing, since the owner seems dead.
    const asked = stage.hold(stopper, 'cancel');
    world.spawn(stopper, () => cancel(system.deps(stopper), turn.id, 'stopped'));
    await asked.there();
    system.log.steering.refuse(stopper, 'cancel');
    asked.release();
    await held.there();
    const lease = system.log.head(turn.id)!.leaseEnd!;
    await stage.until(() => system.log.head(turn.id)!.leaseEnd! > lease + 5_000);
    held.release();
    await stage.until(() => ['complete', 'cancelled'].includes(system.log.head(turn.id)!.status));
    await world.pause(undefined, 20_000);
  },

  /** Two attempts put a segment that ends at the same event; the loser's comes last. */
  async 'plain S#<seq> key'(stage) {
    const { world, system } = stage;
    const turn = system.turn(plan, 'matrix');
    await stage.queued(turn);
    const owner = stage.worker(turn, says([filler(3)]));
    const held = stage.hold(owner, 'segment');
    await held.there();
    owner.frozenUntil = world.now + 20_000;
    await world.pause(undefined, 16_000);
    stage.worker(turn, says([filler(2), []], 6_000));
    await stage.until(() => (system.log.head(turn.id)?.base ?? 0) >= 4);
    held.release();
    await stage.until(() => system.log.head(turn.id)!.status === 'complete');
    await stage.end([turn]);
  },

  /** The question's segment is put twice, the second time late; in between a stop made the close use the same key. */
  async 'plain put of a segment'(stage) {
    const { system } = stage;
    const turn = system.turn({ ...plan, steps: 2, ask: 0 }, 'matrix');
    await stage.queued(turn);
    const owner = stage.worker(turn);
    const held = stage.hold(owner, 'append waiting');
    await held.there();
    const repeat = system.log.lastSegmentPut();
    await cancel(system.deps(stage.world.process(1e6, false)), turn.id, 'stopped');
    turn.cancelled = true;
    held.release();
    await stage.until(() => system.log.head(turn.id)!.status === 'cancelled');
    repeat();
    await stage.end([turn]);
  },

  /** Started and lost twice: the safe point is where the start event really stands, or it is taken back. */
  async 'safe point of the start fixed at 1'(stage) {
    const { world, system } = stage;
    const [turn, next] = [system.turn(plan, 'matrix'), system.turn(plan, 'matrix')];
    await stage.queued(turn);
    await stage.queued(next);
    const first = stage.worker(turn);
    await stage.until(() => system.log.head(turn.id)!.status === 'running');
    first.dead = true;
    await world.pause(undefined, 13_000);
    const second = stage.worker(turn, says([[{ type: 'text', part: 0, text: 'a' }], []], 60_000));
    await stage.until(
      () => (system.log.head(turn.id)!.tail ?? 0) >= 3 && system.log.head(next.id)!.reason === 'merged',
    );
    second.dead = true;
    await world.pause(undefined, 13_000);
    stage.worker(turn);
    await stage.until(() => system.log.head(turn.id)!.status === 'complete');
    await stage.end([turn, next]);
  },

  /**
   * A question's write is applied, its answer lost and its writer asleep; the person consents, another worker goes on in
   * the same attempt; a stop is acknowledged; the sleeper is refused and reads `cx` under its own attempt.
   */
  async 'refused without comparing the tail'(stage) {
    const { world, system } = stage;
    const turn = system.turn({ ...plan, steps: 2, ask: 0 }, 'matrix');
    await stage.queued(turn);
    const sleeper = stage.worker(turn);
    system.log.steering.loseAnswer(sleeper, 'append waiting', () => {
      sleeper.frozenUntil = world.now + 1e6;
    });
    await stage.until(() => system.log.head(turn.id)?.status === 'waiting');
    const consent = { by: 'person', choice: 'yes', at: world.now } as const;
    await putConsent(
      system.table(world.process(1e6, false)),
      turn.id,
      system.log.head(turn.id)!.tail,
      consent,
      2e9,
    );
    const other = stage.worker(turn, says([[{ type: 'text', part: 1, text: '<1.1.9:yes>' }], []], 30_000));
    const tail = system.log.head(turn.id)!.tail;
    await stage.until(() => system.log.head(turn.id)!.tail > tail);
    other.frozenUntil = world.now + 5_000;
    await cancel(system.deps(world.process(1e6, false)), turn.id, 'stopped');
    turn.cancelled = true;
    world.wake(sleeper, 0);
    await stage.until(() => system.log.head(turn.id)!.status === 'cancelled');
    await world.pause(undefined, 10_000);
    await stage.end([turn]);
  },

  /** A starter sleeps with RUN in hand and no HEAD; another turn comes; the starter wakes. */
  async 'RUN replaced without closing the absent holder'(stage) {
    const { world, system } = stage;
    const [turn, next] = [system.turn(plan, 'http'), system.turn(plan, 'http')];
    const starter = world.process(1e6, false);
    const held = stage.hold(starter, 'head running');
    const request = {
      turn: turn.id,
      meta: turn.meta,
      whenBusy: 'reject',
      invocation: system.invocation(starter),
      live: () => undefined,
    } as const;
    world.spawn(starter, () => startHere(system.deps(starter, turn), request));
    await held.there();
    await world.pause(undefined, 31_000);
    await stage.queued(next);
    stage.worker(next, says([[], [], []], 3_000));
    await stage.until(() => system.log.head(next.id)!.status === 'running');
    held.release();
    await stage.until(() => system.log.head(next.id)!.status === 'complete');
    await world.pause(undefined, 20_000);
    await stage.end([next]);
  },

  /** A worker has RUN for a turn that was consented to, and sleeps; another turn takes RUN from it; the worker wakes. */
  async 'RUN of a waiting holder without the fence'(stage) {
    const { world, system } = stage;
    const [turn, next] = [system.turn({ ...plan, steps: 2, ask: 0 }, 'http'), system.turn(plan, 'http')];
    await stage.queued(turn);
    stage.worker(turn);
    await stage.until(() => system.log.head(turn.id)?.status === 'waiting');
    const consent = { by: 'person', choice: 'yes', at: world.now } as const;
    await putConsent(
      system.table(world.process(1e6, false)),
      turn.id,
      system.log.head(turn.id)!.tail,
      consent,
      2e9,
    );
    const worker = stage.worker(turn);
    const held = stage.hold(worker, 'begin');
    await held.there();
    await stage.queued(next);
    stage.worker(next, says([[], [], []], 3_000));
    await stage.until(() => system.log.head(next.id)!.status === 'running');
    held.release();
    await stage.until(
      () =>
        system.log.head(next.id)!.status === 'complete' && system.log.head(turn.id)!.status === 'complete',
    );
    await stage.end([turn, next]);
  },
};

/** Runs a script on the real code, or with a mutant; what went wrong. */
export async function runScript(name: string, mutant: Mutant = {}): Promise<readonly string[]> {
  const stage = new Stage(mutant);
  current = stage;
  let over = false;
  stage.world.spawn(undefined, () =>
    scripts[name]!(stage).finally(() => {
      over = true;
    }),
  );
  await stage.world.run({ untilMs: 3_600_000, maxSteps: 60_000, settled: () => over });
  if (!over) stage.world.fail('the script did not end');
  return [...stage.world.violations.keys()];
}
