/**
 * Puts the modules together: what the inbox asks of memory, turns and the queue, and what the work on a turn asks of the
 * inbox and of memory. The one place that knows both sides of a port; nothing here decides anything.
 */
import type { Agent } from '../../agent/agent.ts';
import type { Tool } from '../../agent/tool.ts';
import type { Notice } from '../../gate/decide.ts';
import { keys as gateKeys } from '../../gate/keys.ts';
import type { GateOptions } from '../../gate/options.ts';
import { storedPicture } from '../../gate/picture.ts';
import type { PrincipalOf } from '../../gate/principal.ts';
import { roomView } from '../../gate/view.ts';
import { decideLate, giveUpLate } from '../../inbox/late.ts';
import type { InboxDeps, Join } from '../../inbox/ports.ts';
import { takeEvents } from '../../inbox/transaction.ts';
import type { MatrixClient } from '../../matrix/client.ts';
import type { Namespace } from '../../matrix/ids.ts';
import { recent } from '../../memory/buffer.ts';
import { refreshRoster } from '../../memory/roster.ts';
import type { Clock, Random } from '../../runtime/clock.ts';
import type { Table } from '../../runtime/table.ts';
import { countUnfinished } from '../../turns/conversation.ts';
import { orderOf } from '../../turns/ids.ts';
import type { HandleDeps } from '../../work/handle.ts';
import type { TurnQueue, WorkOptions } from '../../work/ports.ts';
import { memoryPort } from './memory-port.ts';
import { turnsPort } from './turns-port.ts';

export type Tables = { readonly turns: Table; readonly gate: Table; readonly memory: Table };

/** What goes to the workers' queue: each is one message of ids, repeatable under its own deduplication id. */
export type WorkQueue = TurnQueue & {
  decide(room: string, event: string, round: number): Promise<void>;
  join(join: Join): Promise<void>;
  notice(room: string, event: string, notice: Notice): Promise<void>;
};

/** How long things are kept, in days. */
export type Keep = { readonly turnDays: number; readonly memoryAfterLeaveDays: number };
export const KEEP: Keep = { turnDays: 30, memoryAfterLeaveDays: 30 };
const DAY_MS = 24 * 3_600_000;

export type Parts = {
  readonly tables: Tables;
  readonly clock: Clock;
  readonly random: Random;
  readonly matrix: MatrixClient;
  readonly queue: WorkQueue;
  readonly tenant: string;
  readonly namespace: Namespace;
  readonly gate: GateOptions;
  readonly principalOf: PrincipalOf;
  readonly keep: Keep;
  readonly count: InboxDeps['count'];
  readonly log: InboxDeps['log'];
};

export function composeInbox(parts: Parts): InboxDeps {
  const { tables, clock, random, matrix, queue, tenant, namespace, gate, principalOf, count, log } = parts;
  return {
    table: tables.gate,
    matrix,
    clock,
    options: gate,
    namespace,
    principalOf,
    unfinished: (conversation, limit) => countUnfinished(tables.turns, conversation, limit),
    memory: memoryPort({ table: tables.memory, tenant }, parts.keep.memoryAfterLeaveDays * DAY_MS),
    turns: turnsPort({ table: tables.turns, clock, random }, tenant, parts.keep.turnDays * 24 * 3600),
    queue: {
      turn: (turn, conversation) => queue.send(turn, conversation, `${turn}.run.1`),
      consent: (turn, conversation, seq) => queue.send(turn, conversation, `${turn}.consent.${seq}`),
      decide: queue.decide,
      join: queue.join,
      notice: queue.notice,
    },
    count,
    log,
  };
}

/** Decides events of one delivery, pushed or read back. */
export const taking = (inbox: InboxDeps) => (events: readonly unknown[]) =>
  takeEvents(inbox, events, orderOf);

export type WorkParts = Parts & {
  readonly agent: Agent;
  readonly tools: readonly Tool[];
  readonly options: WorkOptions;
};

/** How many messages tell who spoke last. */
const LAST_SAID = 60;

/** The tables of a worker must be patient: what it repeats recognises itself. */
export function composeWork(parts: WorkParts): HandleDeps {
  const { tables, clock, random, matrix, queue, tenant, namespace, gate, agent, tools, options, count, log } =
    parts;
  const inbox = composeInbox(parts);
  const memory = { table: tables.memory, tenant };
  return {
    table: tables.turns,
    gate: tables.gate,
    clock,
    random,
    matrix,
    bot: namespace.bot,
    policy: gate.groupRooms,
    agent,
    tools,
    options,
    queue,
    count,
    log,
    async recent(room, limit) {
      const row = await tables.gate.get(gateKeys.picture(room));
      const { predecessor } = storedPicture(row, clock.now(), gate);
      const messages = await recent(memory, room, limit, predecessor);
      return messages.map(({ event, sender, name, body }) => ({ event, sender, name, text: body }));
    },
    async refreshRoster(room) {
      const [{ members }, said] = await Promise.all([
        matrix.joinedMembers(room),
        recent(memory, room, LAST_SAID),
      ]);
      const spoke = new Map(said.map(({ sender, at }) => [sender, at]));
      const people = members.filter(({ userId }) => userId !== namespace.bot && !gate.isService(userId));
      const named = people.map(({ userId, displayName }) => ({
        userId,
        name: displayName || userId,
        spokeAt: spoke.get(userId),
      }));
      await refreshRoster(memory, room, named);
    },
    requiredPower: gate.requirePowerLevel,
    view: (room) => roomView(inbox, room, { senders: [], threads: [], events: [] }, 10_000),
    take: taking(inbox),
    notify: (room, event) => queue.notice(room, event, { kind: 'encrypted', window: 'once' }),
    decideLate: (room, event) => decideLate(inbox, room, event),
    giveUpLate: (room, event) => giveUpLate(inbox, room, event),
  };
}
