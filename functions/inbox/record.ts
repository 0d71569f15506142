/**
 * E: the record of an event. One conditional write decides it and commits everything that follows; from then on whoever
 * comes back to the event goes on from its record, whatever the homeserver says now. It stays due until it is finished.
 */
import type { Notice } from '../gate/decide.ts';
import { keys } from '../gate/keys.ts';
import { serverOf } from '../matrix/ids.ts';
import {
  absent,
  any,
  contains,
  present,
  type Row,
  shardOf,
  smaller,
  type Table,
  type Value,
} from '../runtime/table.ts';

/** `other` is decided and finished in one write, and keeps no text. */
export type Kind = 'message' | 'edit' | 'redaction' | 'consent' | 'other';

export type Decided = {
  readonly room: string;
  readonly event: string;
  readonly kind: Kind;
  readonly reason: string;
  readonly sender: string;
  readonly principal: string;
  readonly name: string;
  readonly roomKind?: 'direct' | 'group';
  readonly captured: boolean;
  /** A bot said it. */
  readonly bot: boolean;
  /** The thread it is in; a message outside a thread has none. */
  readonly thread?: string;
  readonly turn?: string;
  readonly conversation?: string;
  /** What an edit, a redaction or a consent is about. */
  readonly target?: string;
  /** A redaction: its sender has the power. A consent: the answer's seq and choice. */
  readonly power?: boolean;
  readonly seq?: number;
  readonly choice?: 'yes' | 'no';
  readonly notice?: Notice;
  readonly markUntil?: number;
  /** min(`origin_server_ts`, received), ms. */
  readonly at: number;
  readonly order: string;
  readonly received: number;
  readonly text?: string;
};

/** What a row says: all of it may be missing, since a redaction may come before its target. */
export type EventRecord = {
  readonly decided?: Decided;
  readonly finished: boolean;
  readonly redacted: boolean;
  readonly redactors: ReadonlySet<string>;
  /** The event itself, while the room could not be read. */
  readonly deferred?: {
    readonly event: unknown;
    readonly received: number;
    readonly order: string;
    readonly sent: boolean;
  };
};

const KEEP_S = 30 * 24 * 3600;
/** When `sweep` looks after a record that is not finished, and after a deferred one whose message was sent; ms. */
const UNDONE_MS = 2 * 60_000;
const DEFERRED_MS = 30 * 60_000;
const MAX_REDACTORS = 8;

const ATTRIBUTES = {
  room: 'room',
  event: 'event',
  kind: 'kind',
  reason: 'dec',
  sender: 'sn',
  principal: 'pr',
  name: 'nm',
  roomKind: 'rk',
  captured: 'cap',
  bot: 'bot',
  thread: 'th',
  turn: 'turn',
  conversation: 'cv',
  target: 'tg',
  power: 'pw',
  seq: 'seq',
  choice: 'ch',
  notice: 'nt',
  markUntil: 'mk',
  at: 'at',
  order: 'or',
  received: 'rx',
  text: 'tx',
} as const satisfies Record<keyof Decided, string>;

export function recordOf(row: Row | undefined): EventRecord {
  const redactors = (row?.reds as ReadonlySet<string> | undefined) ?? new Set<string>();
  const base = { finished: row?.fin === true, redacted: row?.red === true, redactors };
  if (!row) return base;
  if (row.dec !== undefined) {
    const decided: Record<string, unknown> = {};
    for (const [name, letter] of Object.entries(ATTRIBUTES))
      if (row[letter] !== undefined) decided[name] = row[letter];
    if (row.nt !== undefined) decided.notice = JSON.parse(row.nt as string);
    return { ...base, decided: { captured: false, bot: false, ...decided } as unknown as Decided };
  }
  if (row.def === undefined) return base;
  const deferred = {
    event: JSON.parse(row.def as string),
    received: row.rx as number,
    order: row.or as string,
    sent: row.sent === true,
  };
  return { ...base, deferred };
}

/** Redacted, or asked to be by its own sender or somebody of that sender's server, before it was decided. */
export function isForgotten({ decided, redacted, redactors }: EventRecord): boolean {
  if (redacted) return true;
  return [...redactors].some((redactor) => decided !== undefined && mayRedactOwn(redactor, decided.sender));
}

/** A sender's own words may be redacted by that sender, and by that sender's server. */
export const mayRedactOwn = (redactor: string, sender: string): boolean =>
  redactor === sender || (serverOf(redactor) !== undefined && serverOf(redactor) === serverOf(sender));

/** The commit. The record as it is now: ours, or that of whoever was first. `won` says which. */
export async function commit(
  table: Table,
  decided: Decided,
  now: number,
): Promise<{ record: EventRecord; won: boolean }> {
  const key = keys.record(decided.room, decided.event);
  const set: Record<string, Value | undefined> = { ex: Math.floor(now / 1000) + KEEP_S };
  for (const [name, letter] of Object.entries(ATTRIBUTES)) {
    const value = decided[name as keyof Decided];
    if (value !== undefined && value !== false)
      set[letter] = name === 'notice' ? JSON.stringify(value) : (value as Value);
  }
  const finished = decided.kind === 'other';
  const row = await table.update({
    op: `decide ${decided.kind}`,
    key,
    set: finished ? { ...set, fin: true } : set,
    ...(!finished && { init: { sh: shardOf(key.pk), du: now + UNDONE_MS } }),
    ...(finished && { remove: ['def', 'sent', 'sh', 'du'] }),
    when: absent('dec'),
  });
  if (row !== 'refused') return { record: recordOf(row), won: true };
  return { record: recordOf(await table.get(key)), won: false };
}

/** Keeps an event whose room can't be read, for the worker. The record as it is now; a decision that was first stands. */
export async function defer(
  table: Table,
  event: { room: string; id: string; raw: unknown; received: number; order: string },
  now: number,
): Promise<EventRecord> {
  const key = keys.record(event.room, event.id);
  const row = await table.update({
    op: 'defer',
    key,
    set: { room: event.room, event: event.id, ex: Math.floor(now / 1000) + KEEP_S },
    init: {
      def: JSON.stringify(event.raw),
      rx: event.received,
      or: event.order,
      sh: shardOf(key.pk),
      du: now + UNDONE_MS,
    },
    when: absent('dec'),
  });
  return recordOf(row === 'refused' ? await table.get(key) : row);
}

/** The worker has been told of a deferred event. */
export async function deferredSent(table: Table, room: string, event: string, now: number): Promise<void> {
  await table.update({
    op: 'deferred sent',
    key: keys.record(room, event),
    set: { sent: true, du: now + DEFERRED_MS },
    when: present('def'),
  });
}

/** Everything that follows from the decision is done: the words go, and nobody looks after the record any more. */
export async function finish(table: Table, room: string, event: string, forgotten = false): Promise<void> {
  await table.update({
    op: 'finish',
    key: keys.record(room, event),
    set: { fin: true, ...(forgotten && { red: true }) },
    remove: ['tx', 'def', 'sent', 'sh', 'du'],
    when: present('dec'),
  });
}

/** A record that can't be finished yet is looked after again later. */
export async function postpone(table: Table, room: string, event: string, now: number): Promise<void> {
  await table.update({
    op: 'postpone',
    key: keys.record(room, event),
    set: { du: now + UNDONE_MS },
    when: present('dec'),
  });
}

/** Marks an event as redacted, whether it was seen or not, and takes its words. */
export async function markRedacted(
  table: Table,
  room: string,
  event: string,
  now: number,
): Promise<EventRecord> {
  const row = await table.update({
    op: 'redacted',
    key: keys.record(room, event),
    set: { room, event, red: true },
    init: { ex: Math.floor(now / 1000) + KEEP_S },
    remove: ['tx', 'def'],
  });
  return recordOf(row as Row);
}

/** Notes who asked to redact an event that was not seen yet, at most eight. Undefined: there is no room for another. */
export async function addRedactor(
  table: Table,
  room: string,
  event: string,
  by: string,
  now: number,
): Promise<EventRecord | undefined> {
  const row = await table.update({
    op: 'redactor',
    key: keys.record(room, event),
    add: { reds: new Set([by]) },
    set: { room, event },
    init: { ex: Math.floor(now / 1000) + KEEP_S },
    when: any(absent('reds'), smaller('reds', MAX_REDACTORS), contains('reds', by)),
  });
  return row === 'refused' ? undefined : recordOf(row);
}
