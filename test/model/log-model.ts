/**
 * One random schedule of the log's model: up to three turns of one conversation, their followers, stops and consents, and
 * faults for 15 minutes. Then everything must settle: every turn ends once, every follower has the canonical text.
 */
import { isTerminal } from '../../functions/turns/head.ts';
import { arrive, consents, follows, poll, post, stops, sweeps } from './actors.ts';
import { planOf } from './agent.ts';
import { Client } from './client.ts';
import { judge, judgeClient } from './judge.ts';
import type { LogTable } from './log-table.ts';
import { type Mutant, System, type Turn } from './system.ts';
import { type Faults, World } from './world.ts';

const FAULTS_END_MS = 900_000;

export type Outcome = {
  readonly violations: ReadonlyMap<string, string>;
  readonly steps: number;
  readonly maxHead: number;
  /** How each turn ended: status, attempt, reason. */
  readonly ends: readonly string[];
  readonly journal: LogTable['journal'];
};

export async function runLogSchedule(
  seed: number,
  mutant: Mutant = {},
  faults: Partial<Faults> = {},
): Promise<Outcome> {
  const world = new World(seed, faults);
  const { below, hit, pick } = world.chance;
  const source = pick(['matrix', 'matrix', 'http'] as const);
  const matrix = source === 'matrix';
  const people = hit(0.5) ? 1 : 3;
  const system = new System(world, mutant, pick([2, 10, 10]));
  const { log, posts, turns } = system;
  /** Since when every turn is over; what still sleeps is given time to come back. */
  let quietSince: number | undefined;
  const clients: { turn: Turn; client: Client; who: string }[] = [];

  const join = (turn: Turn, delayMs: number, who = 'a client') => {
    const client = new Client((what) => world.fail(what), mutant.client);
    clients.push({ turn, client, who });
    world.spawn(undefined, () => follows(system, turn, client), delayMs);
    return client;
  };

  for (let index = 0, count = 1 + (hit(0.6) ? 1 + below(2) : 0); index < count; index++) {
    const turn = system.turn(planOf(world), source, index % people);
    const delay = index * below(pick([200, 20_000, 90_000]));
    const first = join(turn, delay);
    if (matrix || hit(0.3)) world.spawn(undefined, () => arrive(system, turn), delay);
    else
      world.spawn(
        undefined,
        () => post(system, turn, first, pick(['reject', 'interrupt', 'enqueue'])),
        delay,
      );
    if (hit(0.4)) join(turn, delay + below(30_000));
    for (let n = hit(0.5) ? 1 + below(2) : 0; n > 0; n--)
      world.spawn(undefined, () => stops(system, turn, pick([2_000, 20_000, 120_000])), delay);
    if (hit(0.7)) world.spawn(undefined, () => consents(system, turn), delay);
  }
  log.steering.onCloseCall = (id) =>
    world.spawn(undefined, () => stops(system, turns.find((turn) => turn.id === id)!, 100));
  for (const queue of ['turns', 'turns', 'watchdog', 'watchdog'] as const)
    world.spawn(undefined, () => poll(system, queue));
  world.spawn(undefined, () => sweeps(system));
  if (matrix) world.spawn(undefined, () => posts.wander());

  const ended = (turn: Turn) => {
    const head = log.head(turn.id);
    // A request that was given up before it wrote anything left no turn.
    if (!head) return !matrix && world.elapsed > 100_000;
    if (!isTerminal(head)) return false;
    return (
      head.status !== 'error' ||
      !matrix ||
      posts.posts.some((post) => post.turn === turn.id && post.part === 'note#0')
    );
  };
  await world.run({
    untilMs: 8 * 3_600_000,
    maxSteps: 60_000,
    settled: () => {
      if (world.elapsed > FAULTS_END_MS && !world.calm) {
        world.calm = true;
        Object.assign(world.faults, { crash: 0, lost: 0.01, freeze: 0 });
        posts.back(false);
      }
      if (!turns.every(ended)) return false;
      if (quietSince === undefined) {
        quietSince = world.now;
        for (const turn of turns) if (log.head(turn.id)) join(turn, 0, 'a late joiner');
      }
      return (
        clients.every(({ turn, client }) => client.done || !log.head(turn.id)) &&
        world.now - quietSince > 60_000
      );
    },
  });
  for (const turn of turns) if (matrix || log.head(turn.id)) judge(system, turn);
  for (const { turn, client, who } of clients) judgeClient(system, turn, client, who);
  const ends = turns
    .map(({ id }) => log.head(id))
    .map((head) => (head ? `${head.status} ${head.attempt} ${head.reason ?? ''}` : 'nothing'));
  return {
    violations: world.violations,
    steps: world.steps,
    maxHead: log.maxHead,
    ends,
    journal: log.journal,
  };
}
