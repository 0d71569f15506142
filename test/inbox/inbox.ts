/**
 * An inbox as the webhook composes it, over a homeserver of plain data, a clock that a test moves, and a queue that keeps
 * what it was sent.
 */
import {
  composeInbox,
  KEEP,
  type Parts,
  type Tables,
  taking,
} from '../../functions/adapters/lambda/compose.ts';
import { keys } from '../../functions/gate/keys.ts';
import { type Env, gateOptions, type Limits } from '../../functions/gate/options.ts';
import type { PrincipalOf } from '../../functions/gate/principal.ts';
import type { InboxDeps } from '../../functions/inbox/ports.ts';
import { type EventRecord, recordOf } from '../../functions/inbox/record.ts';
import { namespace } from '../../functions/matrix/ids.ts';
import { recent } from '../../functions/memory/buffer.ts';
import type { Message } from '../../functions/memory/messages.ts';
import { seededRandom, type VirtualClock, virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { memoryTable } from '../fakes/table.ts';
import { type Homeserver, homeserver } from '../gate/homeserver.ts';

export const BOT = '@bot:hs';
export const PREFIX = 'turnpike_';
export const ROOM = '!room:hs';

/** A queue message: its kind, and what it is about. */
export type Sent = { readonly kind: string; readonly id: string; readonly detail: unknown };

export type Inbox = {
  readonly parts: Parts;
  readonly deps: InboxDeps;
  readonly clock: VirtualClock;
  readonly server: Homeserver;
  readonly sent: Sent[];
  /** How often what was counted. */
  readonly counted: Map<string, number>;
  /** One transaction of these events. */
  push(...events: unknown[]): Promise<void>;
  record(event: string, room?: string): Promise<EventRecord>;
  /** The uncompacted messages of a room, oldest first. */
  buffer(room?: string): Promise<Message[]>;
};

export type InboxOptions = {
  readonly env?: Env;
  readonly limits?: Partial<Limits>;
  readonly bot?: string;
  readonly tables?: Tables;
  readonly clock?: VirtualClock;
  readonly server?: Homeserver;
  readonly principalOf?: PrincipalOf;
};

export const memoryTables = (): Tables => ({
  turns: memoryTable(),
  gate: memoryTable(),
  memory: memoryTable(),
});

export function inboxOf(options: InboxOptions = {}): Inbox {
  const { env = { MATRIX_GROUP_ROOMS: 'gate' }, bot = BOT, tables = memoryTables() } = options;
  const { clock = virtualClock(), server = homeserver() } = options;
  const sent: Sent[] = [];
  const counted = new Map<string, number>();
  const keep = async (kind: string, id: string, detail: unknown) => void sent.push({ kind, id, detail });
  const gate = gateOptions(env, 'hs');
  const parts: Parts = {
    tables,
    clock,
    random: seededRandom(),
    matrix: server.client,
    queue: {
      send: (turn, conversation, deduplication) => keep('turn', turn, { conversation, deduplication }),
      watch: (turn, delay) => keep('watch', turn, delay),
      decide: (_room, event, round) => keep('decide', event, round),
      join: (join) => keep('join', join.room, join),
      notice: (_room, event, notice) => keep('notice', event, notice),
    },
    tenant: 'hs',
    namespace: namespace(bot, PREFIX),
    gate: { ...gate, limits: { ...gate.limits, ...options.limits } },
    principalOf: options.principalOf ?? ((user) => user),
    keep: KEEP,
    count: (name, value = 1) => void counted.set(name, (counted.get(name) ?? 0) + value),
    log: () => undefined,
  };
  const deps = composeInbox(parts);
  return {
    parts,
    deps,
    clock,
    server,
    sent,
    counted,
    push: (...events) => taking(deps)(events),
    record: async (event, room = ROOM) => recordOf(await tables.gate.get(keys.record(room, event))),
    buffer: (room = ROOM) => recent({ table: tables.memory, tenant: 'hs' }, room, 1_000),
  };
}
