/**
 * The system under the log's model: the real code of `turns/` and `work/` over a table, queues and a homeserver whose
 * every call is a yield point. Schedules, random or written by hand, drive it.
 */
import { patient } from '../../functions/runtime/patience.ts';
import type { Table } from '../../functions/runtime/table.ts';
import { orderOf } from '../../functions/turns/ids.ts';
import type { Meta } from '../../functions/turns/meta.ts';
import { setPartEvent } from '../../functions/turns/parts.ts';
import type { Invocation, WorkDeps } from '../../functions/work/ports.ts';
import { memoryRows, tableOver } from '../fakes/table.ts';
import { modelAgent, type Plan } from './agent.ts';
import type { ClientMutant } from './client.ts';
import { LogTable, type TableMutant } from './log-table.ts';
import { Posts } from './posts.ts';
import { Queues } from './queues.ts';
import type { Process, World } from './world.ts';

export type Mutant = TableMutant & {
  readonly client?: ClientMutant;
  /** The room is looked at for an earlier send only when this holds. */
  readonly look?: (attempt: number) => boolean;
  /** Which FINAL counts. */
  readonly finalOf?: (attempt: number) => number;
  /** A client is shown the last lines before they are stored. */
  readonly early?: boolean;
};

export type Turn = {
  readonly id: string;
  readonly meta: Meta;
  readonly plan: Plan;
  /** The steps whose tool ran. */
  readonly ran: Set<number>;
  /** A stop was acknowledged; a stop came too late. */
  cancelled: boolean;
  tooLate: boolean;
};

export const CONVERSATION = 'conversation-of-model';
/** How long an invocation of the worker lasts. */
export const INVOCATION_MS = 240_000;

export class System {
  readonly turns: Turn[] = [];
  readonly log: LogTable;
  readonly queues: Queues<string>;
  readonly posts: Posts;
  readonly world: World;
  readonly mutant: Mutant;
  private readonly gate = tableOver(memoryRows());

  constructor(world: World, mutant: Mutant, maxReceives = 10) {
    this.world = world;
    this.mutant = mutant;
    this.log = new LogTable(world, mutant, (id) =>
      this.turns.some((turn) => turn.id === id) ? CONVERSATION : undefined,
    );
    this.queues = new Queues<string>(world, { turns: maxReceives, watchdog: 1_000 });
    this.posts = new Posts(world, ({ turn, part, id }) => {
      const process = world.process(30_000, false);
      world.spawn(process, () => setPartEvent(this.table(process), turn, part, id));
    });
  }

  /** A turn of the conversation, in Matrix or over HTTP. Nothing of it is stored yet. */
  turn(plan: Plan, source: 'matrix' | 'http', person = 0): Turn {
    const index = this.turns.length;
    const created = this.world.now;
    const meta: Meta = {
      tenant: 'hs',
      principal: 'person',
      conversation: CONVERSATION,
      order: orderOf(created + index, index),
      source:
        source === 'http'
          ? { kind: 'http' }
          : {
              kind: 'matrix',
              room: '!r',
              roomKind: 'direct',
              event: `$${index}`,
              sender: `@person${person}:hs`,
              name: 'Person',
              at: created,
            },
      input: `question ${index}`,
      created,
      expires: Math.floor(created / 1000) + 30 * 24 * 3600,
    };
    const turn = {
      id: `T${index}`.padEnd(22, 'x'),
      meta,
      plan,
      ran: new Set<number>(),
      cancelled: false,
      tooLate: false,
    };
    this.turns.push(turn);
    return turn;
  }

  table(process: Process): Table {
    const { world, log } = this;
    return patient(log.for(process), world.clock(process), world.random(), () => Number.POSITIVE_INFINITY);
  }

  invocation(process: Process): Invocation {
    return { remaining: () => process.end - this.world.now };
  }

  /** What one process is given; its agent answers that turn. */
  deps(process: Process, turn?: Turn): WorkDeps {
    const { world, log, mutant } = this;
    const look = mutant.look;
    return {
      table: this.table(process),
      gate: this.gate,
      clock: world.clock(process),
      random: world.random(),
      matrix: this.posts.client(process, look ? { look: (id) => look(log.head(id)?.attempt ?? 0) } : {}),
      bot: '@bot:hs',
      policy: 'gate',
      agent: turn ? modelAgent(world, process, turn.plan, turn.ran) : { run: async function* () {} },
      queue: {
        send: (id, _conversation, deduplication) =>
          this.queued(process, () => this.queues.send('turns', CONVERSATION, id, deduplication)),
        watch: (id, seconds) =>
          this.queued(process, () => this.queues.send('watchdog', id, id, undefined, seconds * 1_000)),
      },
      count: () => undefined,
      log: () => undefined,
      recent: async () => [],
      refreshRoster: async () => undefined,
      tools: [],
      options: { mentionAsker: false, liveEdits: false },
    };
  }

  /** A send to a queue, repeated until it is answered. */
  private async queued(process: Process, effect: () => void): Promise<void> {
    for (;;) {
      try {
        return await this.world.call(process, effect, () => new Error('the queue did not answer'));
      } catch {
        await this.world.pause(process, 200);
      }
    }
  }
}
