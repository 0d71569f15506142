/**
 * What we say in a room, as event contents: the parts of an answer, single messages and notices, and edits of them. Each
 * content carries its turn and part under a key of our own, by which its echo is known, and `m.mentions`, so that no
 * `@room` in a model's words calls a room together. The same text and context always give the same contents. It brings
 * the renderer along: a worker imports it when it first has something to say, and starts without.
 */
import { type OwnKey, TURN_KEY } from './own-key.ts';
import { renderMarkdown } from './render.ts';
import { split } from './split.ts';

/**
 * A content as JSON is smaller than this, in UTF-8 bytes. An event may have 65,536 with what the server adds; an edit
 * holds its content and a little more.
 */
export const CONTENT_BYTES = 40_000;

/** Where something is said, and to whom. */
export type Place = {
  /** The root of the thread to answer in. */
  readonly thread?: string;
  /** The event to answer as a quote-reply; in a thread it is not quoted. */
  readonly quote?: string;
  /** The event that is answered: in a thread it is named for clients that know none. */
  readonly trigger: string;
  /** Whom the message mentions; of an answer only its first part. */
  readonly mention?: string;
};

/** Part `n` of an answer is called `<set>#<n>`, from 0. */
export type ReplyContext = Place & { readonly turn: string; readonly set?: string };

/** A message that stands for itself, under a name of its own. */
export type MessageContext = Place & OwnKey;

export type PartContent = {
  readonly msgtype: 'm.text' | 'm.notice';
  /** Markdown. */
  readonly body: string;
  readonly format?: 'org.matrix.custom.html';
  readonly formatted_body?: string;
  readonly 'm.mentions': { readonly user_ids?: readonly string[] };
  readonly 'm.relates_to'?: Readonly<Record<string, unknown>>;
  readonly [TURN_KEY]: OwnKey;
};

/** The messages of an answer, in order; none if the text is empty. */
export function replyParts(text: string, { turn, set = '', mention, ...place }: ReplyContext): PartContent[] {
  const contentAt = (body: string, index: number) =>
    contentOf('m.text', body, { ...place, turn, part: `${set}#${index}`, ...(index === 0 && { mention }) });
  return split(text.toWellFormed(), CONTENT_BYTES, (body, index) => isSmall(contentAt(body, index))).map(
    contentAt,
  );
}

/** A question to a person. A text that does not fit is cut. */
export const askContent = (text: string, context: MessageContext): PartContent =>
  shortened(text, (body) => contentOf('m.text', body, context));

/** A note on a turn or a room, which no other bot answers. A text that does not fit is cut. */
export const noticeContent = (text: string, context: MessageContext): PartContent =>
  shortened(text, (body) => contentOf('m.notice', body, context));

const MAX_FALLBACK = 100;

/**
 * The same part as an edit of `target`, which keeps its own relation. Old clients see the beginning of the text. Who is
 * mentioned counts as newly mentioned, and is notified.
 */
export function editContent(part: PartContent, target: string): Readonly<Record<string, unknown>> {
  const { 'm.relates_to': _, ...fresh } = part;
  const beginning = Array.from(part.body.slice(0, 2 * MAX_FALLBACK))
    .slice(0, MAX_FALLBACK)
    .join('');
  return {
    msgtype: part.msgtype,
    body: `* ${beginning}${beginning === part.body ? '' : '…'}`,
    'm.mentions': part['m.mentions'],
    'm.new_content': fresh,
    'm.relates_to': { rel_type: 'm.replace', event_id: target },
    [TURN_KEY]: part[TURN_KEY],
  };
}

function contentOf(msgtype: PartContent['msgtype'], body: string, context: MessageContext): PartContent {
  const html = renderMarkdown(body);
  const relation = relationOf(context);
  return {
    msgtype,
    body,
    ...(saysMore(html, body) && { format: 'org.matrix.custom.html', formatted_body: html }),
    'm.mentions': context.mention === undefined ? {} : { user_ids: [context.mention] },
    ...(relation && { 'm.relates_to': relation }),
    [TURN_KEY]: { turn: context.turn, part: context.part },
  };
}

/** Spec v1.19, client-server API: threading, "Fallback for unthreaded clients"; rich replies. */
function relationOf({ thread, quote, trigger }: Place): Readonly<Record<string, unknown>> | undefined {
  if (thread !== undefined)
    return {
      rel_type: 'm.thread',
      event_id: thread,
      is_falling_back: true,
      'm.in_reply_to': { event_id: trigger },
    };
  return quote === undefined ? undefined : { 'm.in_reply_to': { event_id: quote } };
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };

/** Whether the HTML shows anything but the words and line breaks of the body. */
function saysMore(html: string, body: string): boolean {
  const words = html.replace(/<(?:\/?p|br)>/g, ' ');
  if (words.includes('<')) return true;
  const text = words.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => ENTITIES[name]!);
  return !sameWords(text, body);
}

const sameWords = (a: string, b: string) => a.replace(/\s+/g, ' ').trim() === b.replace(/\s+/g, ' ').trim();

const isSmall = (content: PartContent) => Buffer.byteLength(JSON.stringify(content)) < CONTENT_BYTES;

function shortened(text: string, contentWith: (body: string) => PartContent): PartContent {
  const marked = (body: string) => `${body}\n…`;
  const pieces = split(text.toWellFormed(), CONTENT_BYTES, (piece) => isSmall(contentWith(marked(piece))));
  const [body = ''] = pieces;
  return contentWith(pieces.length > 1 ? marked(body) : body);
}
