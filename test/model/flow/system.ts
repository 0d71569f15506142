/**
 * The system under the flow's model: from a homeserver's transaction to the reply in the room, all of it real code over
 * tables, queue and homeserver whose every call is a yield point.
 */
import type { World as Rooms } from '../../../bin/dev/homeserver/world.ts';
import { createWorld } from '../../../bin/dev/homeserver/world.ts';
import {
  composeInbox,
  composeWork,
  KEEP,
  type Parts,
  type Tables,
  taking,
} from '../../../functions/adapters/lambda/compose.ts';
import { parseMessage } from '../../../functions/adapters/sqs/messages.ts';
import { gateOptions, type Limits } from '../../../functions/gate/options.ts';
import { MatrixError } from '../../../functions/matrix/client.ts';
import { namespace } from '../../../functions/matrix/ids.ts';
import { patient } from '../../../functions/runtime/patience.ts';
import { type Table, Unavailable } from '../../../functions/runtime/table.ts';
import type { HandleDeps } from '../../../functions/work/handle.ts';
import { matrixOver } from '../../fakes/matrix.ts';
import { queueOver } from '../../fakes/queue.ts';
import { memoryRows, type Rows, tableOver } from '../../fakes/table.ts';
import { LogTable, type TableMutant } from '../log-table.ts';
import { Queues } from '../queues.ts';
import type { Process, World } from '../world.ts';
import { flowAgent } from './agent.ts';

export type FlowMutant = {
  readonly turns?: TableMutant;
  /** The rows of a table as one process reaches them. */
  readonly gate?: (rows: Rows, process: Process) => Rows;
  readonly memory?: (rows: Rows) => Rows;
  /** A lost start, append or close is reported as success. */
  readonly loserSucceeds?: boolean;
  /** The turns taken along are closed as soon as they are found, before the start event that names them. */
  readonly closesFirst?: boolean;
  /** A transaction id that was seen is answered at once. */
  readonly byTransaction?: boolean;
};

export const SERVER = 'hs';
export const BOT = '@bot:hs';

export class FlowSystem {
  readonly rooms: Rooms;
  readonly bot: string;
  readonly log: LogTable;
  readonly gate: Rows = memoryRows();
  readonly memory: Rows = memoryRows();
  readonly queues: Queues<string>;
  /** The homeserver answers nobody. */
  away = false;
  /** Moves when the homeserver is back with nothing in its memory. */
  epoch = 0;
  readonly world: World;
  readonly mutant: FlowMutant;
  /** For scripts: the newest worker. */
  lastWorker: Process | undefined;
  private readonly dying = new Map<Process, string>();
  readonly limits: Limits;

  /** `neighbour`: another stack on the same homeserver, with a bot of its own. */
  constructor(
    world: World,
    mutant: FlowMutant,
    limits: Limits,
    maxReceives: number,
    neighbour?: { readonly rooms: Rooms; readonly bot: string },
  ) {
    this.bot = neighbour?.bot ?? BOT;
    this.world = world;
    this.mutant = mutant;
    this.limits = limits;
    this.rooms =
      neighbour?.rooms ??
      createWorld({
        serverName: SERVER,
        registration: registrationOf(),
        clock: { now: () => Math.floor(world.now) },
        random: world.random(),
      });
    this.log = new LogTable(
      world,
      mutant.closesFirst ? closingFirst(() => this.log.rows) : (mutant.turns ?? {}),
      (turn) => this.conversationOf(turn),
    );
    this.queues = new Queues(world, { turns: maxReceives, watchdog: 1_000 });
  }

  /** For scripts: the process dies when that write has taken effect. */
  dieAfter(process: Process, op: string): void {
    this.dying.set(process, op);
  }

  private conversationOf(turn: string): string | undefined {
    return this.log.rows.get({ pk: turn, sk: 'META' })?.cv as string | undefined;
  }

  /** The tables as one process has them; a worker's repeat what is not answered. */
  tables(process: Process, isPatient: boolean): Tables {
    const { world, mutant } = this;
    const over = (rows: Rows): Table =>
      tableOver(rows, async (call, effect) => {
        const answer = await world.call(process, effect, () => new Unavailable(call.op));
        if (this.dying.get(process) !== call.op) return answer;
        process.dead = true;
        return new Promise<never>(() => undefined);
      });
    const made = (table: Table) =>
      isPatient
        ? patient(table, world.clock(process), world.random(), () => Number.POSITIVE_INFINITY)
        : table;
    return {
      turns: made(this.log.for(process)),
      gate: made(over(mutant.gate?.(this.gate, process) ?? this.gate)),
      memory: made(over(mutant.memory?.(this.memory) ?? this.memory)),
    };
  }

  parts(process: Process, isPatient: boolean): Parts {
    const { world } = this;
    const queue = queueOver(this.queues, (effect) =>
      world.call(process, effect, () => new Unavailable('send')),
    );
    const matrix = matrixOver(
      this.rooms,
      (name, effect) => {
        const lost = () => new MatrixError(name, { kind: 'unreachable' });
        const epoch = this.epoch;
        // What was under way when the homeserver went down never arrives.
        const arrives = () => {
          if (this.epoch !== epoch) throw lost();
          return effect();
        };
        return world.call(process, arrives, lost);
      },
      () => this.away,
      this.bot,
    );
    return {
      tables: this.tables(process, isPatient),
      clock: world.clock(process),
      random: world.random(),
      // Decoration, whose every call would only lengthen the schedules.
      matrix: { ...matrix, typing: async () => undefined, receipt: async () => undefined },
      queue,
      tenant: SERVER,
      namespace: namespace(this.bot, `${this.bot.slice(1, -3)}_`),
      gate: { ...gateOptions({ MATRIX_GROUP_ROOMS: 'gate' }, SERVER), limits: this.limits },
      principalOf: (user) => user,
      keep: KEEP,
      count: () => undefined,
      log: (message, details) => {
        if (/word\d+x|edit\d+x/.test(JSON.stringify([message, details])))
          this.world.fail('words in a log', message);
        if (message === 'an event was skipped')
          this.world.fail('an error was swallowed', `${message} ${JSON.stringify(details)}`);
      },
    };
  }

  inbox(process: Process, isPatient = false) {
    return composeInbox(this.parts(process, isPatient));
  }

  take(process: Process, events: readonly unknown[]): Promise<void> {
    return taking(this.inbox(process))(events);
  }

  work(process: Process): HandleDeps {
    const deps = composeWork({
      ...this.parts(process, true),
      agent: flowAgent(this.world, process),
      tools: [],
      options: { mentionAsker: false, liveEdits: false },
    });
    return { ...deps, refreshRoster: async () => undefined };
  }

  message = parseMessage;
}

const registrationOf = () => ({
  id: 'bot',
  url: 'http://127.0.0.1:1',
  as_token: 'as',
  hs_token: 'hs',
  sender_localpart: 'bot',
  namespaces: {
    users: [
      { exclusive: true, regex: '@bot:hs' },
      { exclusive: true, regex: '@bot_.*:hs' },
    ],
    aliases: [],
    rooms: [],
  },
});

/** Closes what a start event is about to name, when the request for it is made: it may be lost, and its writer with it. */
function closingFirst(rows: () => Rows): TableMutant {
  return {
    request: (write) => {
      const hot = write.op === 'append plain' ? String(write.set!.h) : '';
      const list = /"start",\{"messages":(\[[^\]]*\])/.exec(hot)?.[1];
      for (const turn of (list ? (JSON.parse(list) as string[]) : []).slice(1)) {
        const set = {
          st: 'x',
          a: 1,
          t: 1,
          rs: 'merged',
          h: `[[1,"turn_status",{"status":"cancelled","reason":"merged","into":"${write.key.pk}"}]]`,
        };
        rows().update({
          op: 'close first',
          key: { pk: turn, sk: 'HEAD' },
          set,
          when: { is: '=', name: 'st', value: 'q' },
        });
      }
    },
  };
}
