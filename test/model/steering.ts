/**
 * Where a call of the turns' table goes wrong: chance leans to where conditions matter (an owner that wakes under a taker's
 * hands, a starter that sleeps with RUN in hand, an answer lost behind a question, a request that comes twice, a stop in
 * the same moment), and scripts hold a process at a call, refuse it, or lose its answer.
 */
import { type Key, Unavailable } from '../../functions/runtime/table.ts';
import type { Call } from '../fakes/table.ts';
import type { Process, World } from './world.ts';

/** A process that stands before a call. */
export type Hold = { readonly process: Process; readonly op: string; reached: boolean; released: boolean };

export class Steering {
  /** Somebody may want to stop the turn in this very moment. */
  onCloseCall: (turn: string) => void = () => undefined;
  private readonly world: World;
  private readonly owners = new Map<string, Process>();
  private readonly sleepers = new Map<string, Process>();
  private readonly holds: Hold[] = [];
  private readonly scripted = new Map<string, (effect: () => unknown) => unknown>();

  constructor(world: World) {
    this.world = world;
  }

  async call<T>(process: Process, call: Call, effect: () => T): Promise<T> {
    const { world } = this;
    const { hit, below } = world.chance;
    const lost = () => new Unavailable(call.op);
    const eager = !world.calm && process.crashes;
    const turn = (call.detail as { key?: Key }).key?.pk ?? '';
    if (eager) await this.before(process, call, turn);
    if (call.op.startsWith('append')) this.owners.set(turn, process);
    if (eager && call.op === 'append waiting' && hit(0.1)) {
      effect();
      this.sleepers.set(turn, process);
      world.freeze(process, 1, 3_000, 50_000);
      await world.pause(process, 1_500);
      throw lost();
    }
    await this.held(process, call);
    const scripted = this.scripted.get(`${process.id} ${call.op}`);
    if (scripted) {
      this.scripted.delete(`${process.id} ${call.op}`);
      return scripted(effect) as T;
    }
    const answer = await world.call(process, effect, lost);
    if (call.op === 'begin' || call.op === 'take over') this.begun(process, turn, eager);
    if (eager && call.op === 'run') world.freeze(process, 0.04, 1_000, 60_000);
    if (eager && call.op === 'segment' && hit(0.05))
      world.schedule(undefined, below(4_000), () => void effect());
    if (process.dead) return new Promise(() => undefined);
    if (process.frozenUntil > world.now) await world.pause(process, 0);
    return answer;
  }

  private async before(process: Process, { op }: Call, turn: string): Promise<void> {
    const { world } = this;
    const { hit, below } = world.chance;
    if (op === 'take over' || op === 'close foreign') {
      const owner = this.owners.get(turn);
      if (!owner || owner === process || owner.frozenUntil <= world.now || !hit(0.4)) return;
      world.wake(owner, below(300));
      await world.pause(process, 1_500 + below(3_000));
    }
    if (!op.startsWith('append')) return;
    if (op !== 'append plain' && hit(0.06)) this.onCloseCall(turn);
    if (hit(0.02)) world.freeze(process, 1, 8_200, 2_500);
  }

  private begun(process: Process, turn: string, eager: boolean): void {
    const { hit, below } = this.world.chance;
    if (eager && hit(0.02)) process.dead = true;
    const sleeper = this.sleepers.get(turn);
    if (!sleeper || !hit(0.7)) return;
    this.world.wake(sleeper, below(500));
    if (hit(0.6)) this.onCloseCall(turn);
  }

  private async held(process: Process, call: Call): Promise<void> {
    const hold = this.holds.find((one) => one.process === process && one.op === call.op && !one.reached);
    if (!hold) return;
    hold.reached = true;
    while (!hold.released) await this.world.pause(process, 20);
  }

  /** For scripts: the process stops at its next call of that name, before it takes effect. */
  holdAt(process: Process, op: string): Hold {
    const hold = { process, op, reached: false, released: false };
    this.holds.push(hold);
    return hold;
  }

  /** For scripts: the process's next call of that name is refused, whatever the rows say. */
  refuse(process: Process, op: string): void {
    this.scripted.set(`${process.id} ${op}`, () => 'refused');
  }

  /** For scripts: the next call of that name takes effect, and its answer is lost. */
  loseAnswer(process: Process, op: string, then: () => void): void {
    this.scripted.set(`${process.id} ${op}`, (effect) => {
      effect();
      then();
      throw new Unavailable(op);
    });
  }
}
