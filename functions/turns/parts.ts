/**
 * What a turn says in its room, message by message: fixed and stored before the first is sent, so that nothing can split
 * anew, each with the event id under which it stands in the room once that is known. Kinds: a part of the answer
 * (`<set>#<n>`), the note of a failed turn (`note#0`), a question (`ask#<seq>`), a live draft (`draft#0`).
 */
import { absent, all, hasRow, noRow, type Row, type Table } from '../runtime/table.ts';
import { hashOf } from './ids.ts';
import { keys } from './keys.ts';

export type Part = {
  /** Its name within the turn; with the turn's id it is the transaction id of its send. */
  readonly name: string;
  /** The event content, as it is sent. Undefined once it is forgotten. */
  readonly content?: Readonly<Record<string, unknown>>;
  /** The event id in the room; `-` = finally refused. */
  readonly event?: string;
};

export const REFUSED = '-';
export const NOTE = 'note#0';
export const DRAFT = 'draft#0';
export const askPart = (seq: number): string => `ask#${seq}`;
/** The seq of a question's part; undefined for any other part. */
export const askedSeq = (part: string): number | undefined => {
  const seq = /^ask#(\d{1,10})$/.exec(part)?.[1];
  return seq === undefined ? undefined : Number(seq);
};

const partOf = (row: Row): Part => ({
  name: row.sk.slice('PART#'.length),
  ...(row.ct !== undefined && { content: JSON.parse(row.ct as string) as Record<string, unknown> }),
  ...(row.ev !== undefined && { event: row.ev as string }),
});

/** Puts a part if it is not there; what is there stands. */
export async function putPart(
  table: Table,
  turn: string,
  name: string,
  content: unknown,
  expires: number,
): Promise<void> {
  const row = { ...keys.part(turn, name), ct: JSON.stringify(content), ex: expires };
  await table.put({ op: 'part', row, when: noRow });
}

export async function getPart(table: Table, turn: string, name: string): Promise<Part | undefined> {
  const row = await table.get(keys.part(turn, name));
  return row && partOf(row);
}

/** The event id of a part, from its sender or its echo: the first one stands. A part that is not there stays so. */
export async function setPartEvent(table: Table, turn: string, name: string, event: string): Promise<void> {
  await table.update({
    op: 'part sent',
    key: keys.part(turn, name),
    set: { ev: event },
    when: all(hasRow, absent('ev')),
  });
}

/** As long as a real set's name, so that the names of the parts do not change their size. */
const SET_LENGTH = 8;
const NO_SET = '-'.repeat(SET_LENGTH);

/**
 * Fixes the split of an answer: the parts, then the row that commits them. Another split that was first stands.
 * `split` gives the contents; `named` gives a content the name it is to carry.
 */
export async function fixParts<Content>(
  table: Table,
  turn: string,
  split: (set: string) => readonly Content[],
  named: (content: Content, name: string) => Content,
  expires: number,
): Promise<string[]> {
  const committed = await committedParts(table, turn);
  if (committed) return committed;
  const contents = split(NO_SET);
  const set = hashOf(JSON.stringify(contents)).slice(0, SET_LENGTH);
  const names = contents.map((_, index) => `${set}#${index}`);
  await Promise.all(
    contents.map((content, index) =>
      putPart(table, turn, names[index]!, named(content, names[index]!), expires),
    ),
  );
  await table.put({
    op: 'parts',
    row: { ...keys.parts(turn), set, n: contents.length, ex: expires },
    when: noRow,
  });
  return (await committedParts(table, turn)) ?? names;
}

/** The names of the answer's parts in order; undefined while the split is not committed. */
export async function committedParts(table: Table, turn: string): Promise<string[] | undefined> {
  const row = await table.get(keys.parts(turn));
  return row && Array.from({ length: row.n as number }, (_, index) => `${row.set as string}#${index}`);
}

/** Every part of a turn; at most some hundred, since an answer is bounded. */
export async function allParts(table: Table, turn: string): Promise<Part[]> {
  return (await table.query({ ...keys.everyPart(turn), limit: 1_000 })).map(partOf);
}

/** Takes a part's words away; its event id stays, so that nothing is sent in its place. */
export async function forgetPart(table: Table, turn: string, name: string): Promise<void> {
  await table.update({ op: 'part forget', key: keys.part(turn, name), remove: ['ct'], when: hasRow });
}
