/**
 * M: a message as memory keeps it, and the edits of it (X). The row is put once; a redaction leaves a tombstone that
 * refuses whatever comes late. An edit may come before its message; with none left the first words stand again.
 */
import { absent, all, eq, noRow, present, type Row, type Table } from '../runtime/table.ts';
import { keys, type Place } from './keys.ts';

export type Captured = {
  readonly event: string;
  /** A message outside a thread roots its own. */
  readonly thread: string;
  readonly sender: string;
  readonly principal: string;
  readonly name: string;
  readonly body: string;
  /** ms, never later than when we received it. */
  readonly at: number;
  readonly order: string;
  /** A bot said it, ours or another: it does not hasten a compaction. */
  readonly bot: boolean;
};

export type Message = Captured & {
  readonly chunk?: string;
  readonly redacted: boolean;
  readonly revision: number;
};

/** A bare tombstone, and an edit that waits for its message, live this long; s. */
const WAIT_S = 30 * 24 * 3600;
/** More edits than this of one message are not read. */
const MAX_EDITS = 200;

export function messageOf(row: Row): Message {
  return {
    event: row.ev as string,
    thread: row.th as string,
    sender: row.sn as string,
    principal: row.pr as string,
    name: row.nm as string,
    body: (row.body as string | undefined) ?? '',
    at: row.at as number,
    order: row.or as string,
    bot: row.bot === true,
    redacted: row.red === true,
    revision: (row.rev as number | undefined) ?? 0,
    ...(row.chunk !== undefined && { chunk: row.chunk as string }),
  };
}

/** Puts a message, and applies edits that waited for it. Whatever is there stands: a message, or its tombstone. */
export async function putMessage(table: Table, place: Place, message: Captured): Promise<void> {
  const { event, thread, sender, principal, name, body, at, order, bot } = message;
  const row = {
    ...keys.message(place, event),
    ev: event,
    th: thread,
    sn: sender,
    pr: principal,
    nm: name,
    body,
    at,
    or: order,
    rev: 0,
  };
  await table.put({ op: 'message', row: bot ? { ...row, bot } : row, when: noRow });
  // Also when it was there: whoever put it may not have come to this.
  await applyEdits(table, place, event);
}

export async function getMessage(table: Table, place: Place, event: string): Promise<Row | undefined> {
  return table.get(keys.message(place, event));
}

export type Edit = {
  readonly target: string;
  readonly event: string;
  readonly sender: string;
  readonly body: string;
  readonly ts: number;
};

/** Keeps an edit, and lets it decide the message's words if it is the newest. Repeatable, and in any order. */
export async function putEdit(table: Table, place: Place, edit: Edit, now: number): Promise<void> {
  const key = keys.edit(place, edit.target, edit.event);
  const row = {
    ...key,
    ev: edit.event,
    sn: edit.sender,
    body: edit.body,
    ts: edit.ts,
    ex: Math.floor(now / 1000) + WAIT_S,
  };
  await table.put({ op: 'edit', row, when: noRow });
  const message = await getMessage(table, place, edit.target);
  if (message?.red) await table.update({ op: 'edit of redacted', key, set: { red: true }, remove: ['body'] });
  else if (message) await applyEdits(table, place, edit.target);
}

/** An edit was redacted: the message's words are decided anew. Repeatable. */
export async function redactEdit(
  table: Table,
  place: Place,
  target: string,
  edit: string,
  now: number,
): Promise<void> {
  const key = keys.edit(place, target, edit);
  await table.update({
    op: 'redact edit',
    key,
    set: { ev: edit, red: true, ex: Math.floor(now / 1000) + WAIT_S },
    remove: ['body'],
  });
  await applyEdits(table, place, target);
}

/** The greatest edit by time, then id, of the message's own sender; its words, or the first ones if none is left. */
async function applyEdits(table: Table, place: Place, event: string): Promise<void> {
  for (;;) {
    const message = await getMessage(table, place, event);
    if (!message || message.red || message.sn === undefined) return;
    // It is in a chunk and its words are no longer held: an edit brings none back.
    if (message.chunk !== undefined && message.body === undefined) return;
    // Behind the message, never beside it: an edit that was applied by then is found here, or else the revision has moved.
    const edits = await table.query({ ...keys.edits(place, event), limit: MAX_EDITS });
    const valid = edits.filter((edit) => !edit.red && edit.body !== undefined && edit.sn === message.sn);
    const newest = valid
      .sort((a, b) => (a.ts as number) - (b.ts as number) || ((a.ev as string) < (b.ev as string) ? -1 : 1))
      .at(-1);
    const first = (message.first ?? message.body) as string;
    const body = (newest?.body as string | undefined) ?? first;
    if (body === message.body) return;
    const row = await table.update({
      op: 'revise message',
      key: keys.message(place, event),
      set: { body, first },
      add: { rev: 1 },
      when: all(absent('red'), eq('rev', message.rev as number)),
    });
    // Another edit was applied meanwhile: look at them all again.
    if (row !== 'refused') return reviseChunk(table, place, row);
  }
}

/** An edited message that is in a chunk, with its sources held, makes the chunk dirty. */
async function reviseChunk(table: Table, place: Place, message: Row): Promise<void> {
  if (message.chunk === undefined || message.body === undefined) return;
  await table.update({
    op: 'chunk dirty',
    key: keys.chunk(place, message.chunk as string),
    set: { dirty: true },
    add: { rev: 1 },
    when: present('pk'),
  });
  await table.update({
    op: 'ledger due',
    key: keys.ledger(place),
    add: { seq: 1 },
    set: { du: message.at as number },
  });
}

/** Takes a message's words, first and edited, and keeps the row as a tombstone. Upserts, so a late capture is refused. */
export async function redactMessage(table: Table, place: Place, event: string, now: number): Promise<Row> {
  const row = await table.update({
    op: 'redact message',
    key: keys.message(place, event),
    set: { ev: event, red: true },
    init: { ex: Math.floor(now / 1000) + WAIT_S },
    add: { rev: 1 },
    remove: ['body', 'first', 'nm'],
  });
  for (const edit of await table.query({ ...keys.edits(place, event), limit: MAX_EDITS }))
    await table.update({ op: 'redact its edit', key: edit, set: { red: true }, remove: ['body'] });
  return row as Row;
}
