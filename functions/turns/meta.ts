/**
 * META: who a turn is for, where it came from and what was asked. It is written once, before HEAD, and changes in one
 * way only: forgetting takes the input away. A tombstone without input may also come first, and forbids the input.
 */
import { type Key, noRow, type Row, type Table, type Value } from '../runtime/table.ts';
import { FORMAT } from './head.ts';
import { hashOf } from './ids.ts';
import { keys } from './keys.ts';

/** The Matrix message a turn answers. */
export type MatrixSource = {
  readonly kind: 'matrix';
  readonly room: string;
  readonly roomKind: 'direct' | 'group';
  readonly event: string;
  /** The root of the thread it was written in, if it was. */
  readonly thread?: string;
  readonly sender: string;
  readonly name: string;
  /** When it was said, ms: never later than when we received it. */
  readonly at: number;
};
export type Source = MatrixSource | { readonly kind: 'http' };

export type Meta = {
  readonly tenant: string;
  readonly principal: string;
  /** The conversation's id. */
  readonly conversation: string;
  /** Where the turn stands among those of its conversation. */
  readonly order: string;
  readonly source: Source;
  /** What was asked, at most 64 KB; undefined once it is forgotten or redacted. */
  readonly input?: string;
  /** ms */
  readonly created: number;
  /** s; after it the turn is as good as gone. */
  readonly expires: number;
  readonly traceparent?: string;
};

/** The largest input of a turn, in UTF-8 bytes. */
export const MAX_INPUT_BYTES = 65_536;
/** How long a turn's META, HEAD, FINAL and PART rows are kept, and its segments, in s. */
export const KEEP_TURN_S = 30 * 24 * 3600;
export const KEEP_SEGMENTS_S = 7 * 24 * 3600;

function metaRow(key: Key, meta: Meta): Row {
  const values: Record<string, Value | undefined> = {
    v: FORMAT,
    tn: meta.tenant,
    pr: meta.principal,
    cv: meta.conversation,
    or: meta.order,
    src: JSON.stringify(meta.source),
    in: meta.input,
    ih: meta.input === undefined ? undefined : hashOf(meta.input),
    cr: meta.created,
    ex: meta.expires,
    tp: meta.traceparent,
  };
  return {
    ...key,
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
  } as Row;
}

function metaOf(row: Row): Meta {
  return {
    tenant: row.tn as string,
    principal: row.pr as string,
    conversation: row.cv as string,
    order: row.or as string,
    source: JSON.parse(row.src as string) as Source,
    created: row.cr as number,
    expires: row.ex as number,
    ...(row.in !== undefined && { input: row.in as string }),
    ...(row.tp !== undefined && { traceparent: row.tp as string }),
  };
}

/** Puts META if it is not there; whatever is there stands. */
export async function putMeta(table: Table, turn: string, meta: Meta): Promise<void> {
  await table.put({ op: 'meta', row: metaRow(keys.meta(turn), meta), when: noRow });
}

export async function getMeta(table: Table, turn: string): Promise<Meta | undefined> {
  const row = await table.get(keys.meta(turn));
  return row && metaOf(row);
}

/** The METAs of turns that have one, by turn. */
export async function getMetas(table: Table, turns: readonly string[]): Promise<Map<string, Meta>> {
  const rows = await table.getMany(turns.map(keys.meta));
  return new Map(rows.map((row) => [row.pk, metaOf(row)]));
}

/** Takes the input away, and leaves a tombstone where no META was: a late writer then finds it there. */
export async function forgetInput(table: Table, turn: string, tombstone: Meta): Promise<void> {
  const { input: _, ...without } = tombstone;
  if (
    (await table.put({ op: 'meta tombstone', row: metaRow(keys.meta(turn), without), when: noRow })) ===
    'written'
  )
    return;
  await table.update({ op: 'meta forget', key: keys.meta(turn), remove: ['in', 'ih'] });
}
