/** One random schedule of the flow's model: some people talk for a minute or two under faults; then all must settle. */

import { LIMITS } from '../../../functions/gate/options.ts';
import { isTerminal } from '../../../functions/turns/head.ts';
import { type Faults, World } from '../world.ts';
import { pushes, sweeps, wanders, works } from './actors.ts';
import { judgeFlow } from './judge.ts';
import { plays } from './script.ts';
import { type FlowMutant, FlowSystem } from './system.ts';

const FAULTS_END_MS = 300_000;

export type FlowOutcome = {
  readonly violations: ReadonlyMap<string, string>;
  readonly steps: number;
  readonly ends: readonly string[];
};

export async function runFlowSchedule(
  seed: number,
  mutant: FlowMutant = {},
  faults: Partial<Faults> = {},
): Promise<FlowOutcome> {
  const world = new World(seed, { ...faults });
  const { hit, pick } = world.chance;
  world.faults.lost = Math.min(world.faults.lost, 0.03);
  const limits = hit(0.5) ? { ...LIMITS, senderTurns: 2 } : LIMITS;
  const system = new FlowSystem(world, mutant, limits, pick([2, 10, 10]));
  const { log, gate, queues } = system;
  const script = plays(system);
  const pusher = await pushes(system);
  let settledSince: number | undefined;
  for (const queue of ['turns', 'turns', 'watchdog'] as const)
    world.spawn(undefined, () => works(system, queue));
  world.spawn(undefined, () => sweeps(system));
  world.spawn(undefined, () => wanders(system));

  const settled = () =>
    script.over() &&
    pusher.idle() &&
    log.rows.all().every((row) => row.sk !== 'HEAD' || isTerminal(log.head(row.pk)!)) &&
    gate
      .all()
      .every(
        (row) => row.sk !== 'E' || row.fin === true || (row.dec === undefined && row.def === undefined),
      ) &&
    queues.turns.length + queues.dead.length === 0;
  await world.run({
    untilMs: 4 * 3_600_000,
    maxSteps: 40_000,
    settled: () => {
      if (world.elapsed > FAULTS_END_MS && !world.calm) {
        world.calm = true;
        Object.assign(world.faults, { crash: 0, lost: 0.005, freeze: 0 });
        system.away = false;
      }
      if (!settled()) {
        settledSince = undefined;
        return false;
      }
      settledSince ??= world.now;
      return world.now - settledSince > 60_000;
    },
  });
  if (settledSince === undefined) world.fail('not settled');
  judgeFlow(system, script);
  const ends = log.rows
    .all()
    .flatMap((row) =>
      row.sk === 'HEAD' ? [`${log.head(row.pk)!.status} ${log.head(row.pk)!.reason ?? ''}`] : [],
    );
  return { violations: world.violations, steps: world.steps, ends };
}
