/**
 * A shop: inbox and work as the functions compose them, over tables, queues and a homeserver in memory, under a clock
 * that a test moves. Whatever calls the homeserver or the store can be watched, held up and refused.
 */
// The code imports it when it first has something to say; loading takes real time.
import '../../functions/matrix/reply.ts';
import {
  composeInbox,
  composeWork,
  KEEP,
  type Parts,
  taking,
} from '../../functions/adapters/lambda/compose.ts';
import { parseMessage } from '../../functions/adapters/sqs/messages.ts';
import type { Agent } from '../../functions/agent/agent.ts';
import { localAgent } from '../../functions/agent/local.ts';
import type { Tool } from '../../functions/agent/tool.ts';
import { type Env, gateOptions } from '../../functions/gate/options.ts';
import { MatrixError } from '../../functions/matrix/client.ts';
import { namespace } from '../../functions/matrix/ids.ts';
import { patient } from '../../functions/runtime/patience.ts';
import type { Table } from '../../functions/runtime/table.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { type Head, headChange, headOf } from '../../functions/turns/head.ts';
import { matrixTurnId } from '../../functions/turns/ids.ts';
import { keys } from '../../functions/turns/keys.ts';
import { canonical, readSegments, textOf, wholeLog } from '../../functions/turns/log.ts';
import { type HandleDeps, handle } from '../../functions/work/handle.ts';
import type { Handled, Invocation, WorkOptions } from '../../functions/work/ports.ts';
import { seededRandom, virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { matrixOver } from '../fakes/matrix.ts';
import { queueOver } from '../fakes/queue.ts';
import { memoryRows, type Rows, tableOver } from '../fakes/table.ts';
import { type QueueName, Queues } from '../model/queues.ts';
import { ANA, BEN, BOT, CEM, MENTION, type Post, postsOf, roomsOf } from './people.ts';

export type ShopOptions = {
  readonly env?: Env;
  readonly work?: Partial<WorkOptions>;
  readonly tools?: readonly Tool[];
  readonly wordDelayMs?: number;
};

type Hook = () => Promise<void> | void;

export class Shop {
  readonly clock = virtualClock();
  readonly turns: Rows = memoryRows();
  readonly gate: Rows = memoryRows();
  readonly memory: Rows = memoryRows();
  readonly rooms = roomsOf(this.clock);
  readonly queues: Queues<string>;
  readonly direct: string;
  readonly group: string;
  /** Every call of the homeserver and every write, by name, with the ms since the beginning. */
  readonly calls: { readonly name: string; readonly at: number }[] = [];
  readonly counted = new Map<string, number>();
  readonly logged: string[] = [];
  /** The homeserver answers nobody. */
  away = false;
  agent: Agent;
  private readonly lost = new Set<string>();
  private readonly hooks = new Map<string, Hook[]>();
  private readonly parts: Parts;
  private readonly options: ShopOptions;
  private pushedUpTo = 0;

  constructor(options: ShopOptions = {}) {
    this.options = options;
    const { clock, rooms } = this;
    const unused = () => {
      throw new Error('a shop moves its messages by hand');
    };
    const now = () => clock.now();
    this.queues = new Queues<string>({
      get now() {
        return now();
      },
      schedule: unused,
      spawn: unused,
    });
    this.agent = localAgent({ clock, wordDelayMs: options.wordDelayMs ?? 0 });
    this.direct = this.room(ANA);
    this.group = this.room(ANA, [BEN, CEM]);
    const count = (name: string, value = 1) =>
      void this.counted.set(name, (this.counted.get(name) ?? 0) + value);
    const random = seededRandom(3);
    const table = (rows: Rows): Table =>
      patient(
        tableOver(rows, async (call, effect) => {
          if (call.kind === 'put' || call.kind === 'update' || call.kind === 'remove')
            await this.pass(call.op);
          return effect();
        }),
        clock,
        random,
        () => Number.POSITIVE_INFINITY,
      );
    this.parts = {
      tables: { turns: table(this.turns), gate: table(this.gate), memory: table(this.memory) },
      clock,
      random,
      matrix: matrixOver(
        rooms,
        async (name, effect) => {
          await this.pass(name);
          const answer = effect();
          if (this.lost.delete(name)) throw new MatrixError(name, { kind: 'unreachable' });
          return answer;
        },
        () => this.away,
      ),
      queue: queueOver(this.queues),
      tenant: 'hs',
      namespace: namespace(BOT, 'bot_'),
      gate: gateOptions({ MATRIX_GROUP_ROOMS: 'gate', ...options.env }, 'hs'),
      principalOf: (user) => user,
      keep: KEEP,
      count,
      log: (message, details) => void this.logged.push(`${message} ${JSON.stringify(details ?? {})}`),
    };
  }

  private async pass(name: string): Promise<void> {
    await this.hooks.get(name)?.shift()?.();
    this.calls.push({ name, at: this.clock.monotonic() });
  }

  /** Does something right before the next call of that name takes effect (or does not: it may throw). */
  before(name: string, ...hooks: Hook[]): void {
    this.hooks.set(name, [...(this.hooks.get(name) ?? []), ...hooks]);
  }

  /** The next calls of that name are refused. */
  refuse(name: string, status: number, { times = 1, errcode = 'M_FORBIDDEN', retryAfterMs = 0 } = {}): void {
    const kind = status === 429 ? 'limited' : status >= 500 ? 'unreachable' : 'refused';
    const error = { kind, status, errcode, ...(retryAfterMs > 0 && { retryAfterMs }) } as const;
    for (let n = 0; n < times; n++)
      this.before(name, () => {
        throw new MatrixError(name, error);
      });
  }

  /** The next call of that name takes effect, and its answer is lost. */
  loseAnswer(name: string): void {
    this.lost.add(name);
  }

  called(name: string): number[] {
    return this.calls.filter((call) => call.name === name).map(({ at }) => at);
  }

  /** A room of somebody's, in which the bot is with others. */
  room(owner: string, others: readonly string[] = [], more: object = {}): string {
    const room = this.rooms.createRoom(owner, { preset: 'private_chat', invite: [BOT, ...others], ...more });
    for (const user of [BOT, ...others]) this.rooms.join(user, room);
    return room;
  }

  get inbox() {
    return composeInbox(this.parts);
  }

  get work(): HandleDeps {
    const { tools = [], work } = this.options;
    return composeWork({
      ...this.parts,
      agent: this.agent,
      tools,
      options: { mentionAsker: false, liveEdits: false, ...work },
    });
  }

  send(room: string, sender: string, body: string, more: object = {}): string {
    const content = { msgtype: 'm.text', body, 'm.mentions': {}, ...more };
    return this.rooms.send(sender, room, 'm.room.message', content);
  }

  /** Events as they are pushed now, in one transaction. */
  push(room: string, ...events: readonly string[]): Promise<void> {
    const read = (id: string) => this.rooms.timeline(room).find((event) => event.id === id)!;
    return this.finish(
      taking(this.inbox)(events.map((id) => this.rooms.clientEvent(read(id), { legacy: true }))),
    );
  }

  /** Says something that the gate answers; its turn. */
  async ask(
    body: string,
    { room = this.direct, sender = ANA, more = {} }: { room?: string; sender?: string; more?: object } = {},
  ) {
    // Messages that come one after the other never come in the same ms.
    await this.clock.advance(1);
    const mention = room === this.direct ? {} : MENTION;
    const event = this.send(room, sender, body, { ...mention, ...more });
    await this.push(room, event);
    return matrixTurnId(room, event);
  }

  /** The bot's own events are pushed back. */
  async echo(room = this.direct): Promise<void> {
    const own = this.rooms
      .timeline(room)
      .filter(({ sender, position }) => sender === BOT && position > this.pushedUpTo);
    this.pushedUpTo = own.at(-1)?.position ?? this.pushedUpTo;
    await this.push(room, ...own.map(({ id }) => id));
  }

  /** Receives one message and handles it to its end; undefined if there is none to see. */
  receive(queue: QueueName = 'turns', remainingMs = 900_000): Promise<Handled | undefined> {
    const { clock, queues } = this;
    const message = queues.receive(queue);
    if (!message) return Promise.resolve(undefined);
    message.visibleAt = Number.POSITIVE_INFINITY;
    const delivery = { queue, sentAt: message.sentAt, invocation: this.invocation(remainingMs) };
    return handle(this.work, parseMessage(message.body)!, delivery).then((handled) => {
      if (handled.kind === 'done') queues.remove(queue, message);
      else message.visibleAt = clock.now() + handled.seconds * 1_000;
      return handled;
    });
  }

  /** Receives and handles until there is nothing to see. */
  async run(queue: QueueName = 'turns'): Promise<void> {
    for (let handled = this.receive(queue); (await this.finish(handled)) !== undefined; )
      handled = this.receive(queue);
  }

  invocation(remainingMs = 900_000): Invocation {
    const end = this.clock.monotonic() + remainingMs;
    return { remaining: () => end - this.clock.monotonic() };
  }

  /** Lets time go by until it is done, in steps; what it resolves with. */
  async finish<T>(working: Promise<T>, stepMs = 100): Promise<T> {
    let over = false;
    const end = () => {
      over = true;
    };
    working.then(end, end);
    await this.clock.advance(0);
    for (let steps = 0; !over; steps++) {
      if (steps > 100_000) throw new Error('it never ends');
      await this.clock.advance(stepMs);
    }
    return working;
  }

  head(turn: string): Head {
    return headOf(this.turns.get(keys.head(turn))!);
  }

  /** Changes HEAD by hand. */
  async change(turn: string, next: Parameters<typeof headChange>[0]): Promise<void> {
    this.turns.update({ op: 'by hand', key: keys.head(turn), ...headChange(next) });
  }

  async events(turn: string): Promise<TurnEvent[]> {
    const head = this.head(turn);
    return wholeLog(head, await readSegments(tableOver(this.turns), turn, head, 0))!.map(
      ({ event }) => event,
    );
  }

  /** The words of the answer, as the log has them. */
  async text(turn: string): Promise<string> {
    const head = this.head(turn);
    return textOf(canonical(wholeLog(head, await readSegments(tableOver(this.turns), turn, head, 0))!));
  }

  posts(room = this.direct): Post[] {
    return postsOf(this.rooms, room);
  }

  bodies(room = this.direct): string[] {
    return this.posts(room).map(({ body }) => body);
  }
}
