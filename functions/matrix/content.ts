/**
 * The tolerant reader of what people send: messages, reactions and mentions. Any content has an answer, odd fields
 * count as absent, and nothing throws. Spec v1.19, client-server API: `m.room.message`, rich replies, threading,
 * event replacements, event annotations, user and room mentions.
 */
import { at, isRecord, type Json, recordAt, strings, textAt } from './json.ts';

export type MessageContent = {
  /** Empty if it is odd. */
  readonly msgtype: string;
  /** An automatic message (`m.notice`), never to be answered automatically. */
  readonly notice: boolean;
  /** Nothing a person said: a notice of the server, or a client that wants to verify a device. */
  readonly ignored: boolean;
  /** What a person said, without the quoted words of a reply; empty when there is nothing. */
  readonly body: string;
  /** The root of the thread it is in. */
  readonly thread?: string;
  /** The event it quotes. What a message in a thread names only for old clients is no quote. */
  readonly quoted?: string;
  /** The event it is an edit of. */
  readonly replaces?: string;
  /** What an edit puts in the place of the original's content. */
  readonly newContent?: Json;
  /** `m.mentions.user_ids`; undefined when `m.mentions` is absent altogether. */
  readonly mentions?: readonly string[];
};

const IGNORED = new Set(['m.server_notice', 'm.key.verification.request']);
const MEDIA = new Map([
  ['m.image', 'image'],
  ['m.file', 'file'],
  ['m.audio', 'audio'],
  ['m.video', 'video'],
]);
const MAX_NAME = 200;

/** Reads the content of an `m.room.message`. */
export function readMessage(content: unknown): MessageContent {
  const msgtype = textAt(content, 'msgtype') ?? '';
  const relation = at(content, 'm.relates_to');
  const kind = at(relation, 'rel_type');
  const related = textAt(relation, 'event_id');
  const inReplyTo = textAt(at(relation, 'm.in_reply_to'), 'event_id');
  const thread = kind === 'm.thread' ? related : undefined;
  const fallingBack = kind === 'm.thread' && at(relation, 'is_falling_back') === true;
  const quoted = fallingBack ? undefined : inReplyTo;
  const replaces = kind === 'm.replace' ? related : undefined;
  const newContent = recordAt(content, 'm.new_content');
  const mentions = mentionsOf(content);
  return {
    msgtype,
    notice: msgtype === 'm.notice',
    ignored: IGNORED.has(msgtype),
    body: said(content, msgtype, inReplyTo !== undefined),
    ...(thread !== undefined && { thread }),
    ...(quoted !== undefined && { quoted }),
    ...(replaces !== undefined && { replaces }),
    ...(newContent && { newContent }),
    ...(mentions && { mentions }),
  };
}

/** Reads the content of an `m.reaction`: which event, and with what. */
export function readReaction(
  content: unknown,
): { readonly target: string; readonly key: string } | undefined {
  const relation = at(content, 'm.relates_to');
  const target = textAt(relation, 'event_id');
  const key = textAt(relation, 'key');
  const annotates = at(relation, 'rel_type') === 'm.annotation';
  return annotates && target !== undefined && key !== undefined ? { target, key } : undefined;
}

/**
 * Whether the content mentions the user. `m.mentions` decides, by exact comparison; only where it is absent
 * altogether does a link to the user in `formatted_body` count, as clients wrote mentions before there was the field.
 */
export function isMentioned(content: unknown, userId: string): boolean {
  const mentions = mentionsOf(content);
  if (mentions) return mentions.includes(userId);
  return linkedIds(textAt(content, 'formatted_body') ?? '').includes(userId);
}

function mentionsOf(content: unknown): readonly string[] | undefined {
  if (!isRecord(content) || !Object.hasOwn(content, 'm.mentions')) return undefined;
  return strings(at(content['m.mentions'], 'user_ids'));
}

function said(content: unknown, msgtype: string, reply: boolean): string {
  const given = textAt(content, 'body') ?? '';
  const body = reply ? withoutQuote(given, textAt(content, 'formatted_body') ?? '') : given;
  const name = textAt(content, 'filename');
  const media = MEDIA.get(msgtype);
  if (media !== undefined) {
    // Without a file name, or with the same one, the body is the file name and nobody's words.
    const caption = name !== undefined && name !== given ? body : '';
    return `${label(media, name ?? body)}${caption && ` ${caption}`}`;
  }
  return msgtype === 'm.location' ? label('location', body) : body;
}

function label(kind: string, name: string): string {
  const line = name.slice(0, MAX_NAME).toWellFormed().replace(/\s+/g, ' ').trim();
  return line ? `[${kind}: ${line}]` : `[${kind}]`;
}

/**
 * Takes off the quoted lines that clients put before a reply until spec v1.13: `> <@user> words`, then an empty line.
 * A reply that begins with a quotation of the person's own keeps it.
 */
function withoutQuote(body: string, formatted: string): string {
  if (!/^> (\* )?</.test(body) && !formatted.startsWith('<mx-reply>')) return body;
  let start = 0;
  while (body.startsWith('> ', start) || /^>(\n|$)/.test(body.slice(start, start + 2))) {
    const end = body.indexOf('\n', start);
    if (end < 0) return '';
    start = end + 1;
  }
  return body.startsWith('\n', start) && start > 0 ? body.slice(start + 1) : body.slice(start);
}

const LINK = 'https://matrix.to/#/';
const MAX_LINK = 1_000;

/** The ids that links to matrix.to in `html` name, but for those in the quoted part of a reply. */
function linkedIds(html: string): string[] {
  const quoteEnd = html.indexOf('</mx-reply>');
  const ids: string[] = [];
  for (
    let start = html.indexOf(LINK, Math.max(0, quoteEnd));
    start >= 0;
    start = html.indexOf(LINK, start + 1)
  ) {
    const before = /<a\s[^<>]*\bhref\s*=\s*(["'])$/i.exec(html.slice(Math.max(0, start - MAX_LINK), start));
    const link = html.slice(start + LINK.length, start + MAX_LINK);
    const end = before ? link.indexOf(before[1]!) : -1;
    if (end >= 0) ids.push(decoded(link.slice(0, end).split('?', 1)[0]!));
  }
  return ids;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
