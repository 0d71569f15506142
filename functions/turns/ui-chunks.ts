/**
 * A turn's lines as the chunks of the AI SDK's UI message stream (`ai` v7, `UIMessageChunk`), of which nothing is sent
 * that the SDK doesn't know: an unknown chunk kills its stream. Parts are opened before their first words and closed with
 * their step; after a rewind every part is started again. What can no longer be made right is an error, never a wrong
 * text. Imports nothing of Node, so that clients can use it too.
 */
import type { TurnEvent } from './events.ts';
import { type Line, type LogLine, seqOf } from './lines.ts';

export type Chunk = { readonly type: string; readonly [field: string]: unknown };
export type Chunks = (line: Line) => Chunk[];

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;
type Fields = Readonly<Record<string, unknown>>;

/** `messageId` is the turn's. Lines are given in order, over as many connections as it takes. */
export function createChunks(messageId: string): Chunks {
  let begun = false;
  /** The client is past this event for good: `reset-step` takes back no finished step, nor what it came with. */
  let fixed = 0;
  /** Whether `start-step` was sent since the last `finish-step`. */
  let inStep = false;
  /** The seq of its end, which is told with the next line: until then it may not be stored, and be taken back. */
  let stepEnd: number | undefined;
  let failed = false;
  /** Something is missing or stands that shouldn't, so no more is shown. */
  let torn = false;
  let made = 0;
  let open: { readonly kind: 'text' | 'reasoning'; readonly part: unknown; readonly id: string } | undefined;
  /** The seq of every call that was shown, by its id. */
  const calls = new Map<string, number>();

  const closed = (): Chunk[] => {
    const ended = open ? [{ type: `${open.kind}-end`, id: open.id }] : [];
    open = undefined;
    return ended;
  };
  const finished = (): Chunk[] => {
    fixed = stepEnd ?? fixed;
    stepEnd = undefined;
    const chunks = [...closed(), ...(inStep ? [{ type: 'finish-step' }] : [])];
    inStep = false;
    return chunks;
  };
  const stepped = (): Chunk[] => {
    if (inStep) return [];
    inStep = true;
    return [{ type: 'start-step' }];
  };
  /** Something else than words, behind which words are another part. */
  const part = (chunk: Chunk): Chunk[] => [...stepped(), ...closed(), chunk];
  const failure = (errorText: string): Chunk => {
    failed = true;
    return { type: 'error', errorText };
  };
  const tear = (errorText: string): Chunk[] => {
    torn = true;
    return [failure(errorText)];
  };

  function words({ type: kind, part, text }: Of<'text' | 'reasoning'>): Chunk[] {
    const chunks = stepped();
    if (open?.kind !== kind || open.part !== part) {
      chunks.push(...closed());
      open = { kind, part, id: `${kind}-${++made}` };
      chunks.push({ type: `${kind}-start`, id: open.id });
    }
    return [...chunks, { type: `${kind}-delta`, id: open.id, delta: text }];
  }

  function call({ id, name, arguments: input }: Of<'tool-call'>, seq: number): Chunk[] {
    calls.set(id, seq);
    const of = { toolCallId: id, toolName: name, dynamic: true };
    return part({ type: 'tool-input-available', ...of, input: input ?? null });
  }

  /** Its call may stand in an earlier step; without one the SDK would break off. */
  function result({ id, result, failed: why }: Of<'tool-result'>): Chunk[] {
    if (!calls.has(id)) return [];
    const of = { toolCallId: id, dynamic: true };
    return why === undefined
      ? [{ type: 'tool-output-available', ...of, output: result ?? null }]
      : [{ type: 'tool-output-error', ...of, errorText: why }];
  }

  function rewound({ to }: Of<'rewind'>): Chunk[] {
    if (to < fixed) return tear('the answer began anew: load it again');
    for (const [id, seq] of calls) if (seq > to) calls.delete(id);
    if (stepEnd !== undefined && stepEnd <= to) return finished();
    open = undefined;
    stepEnd = undefined;
    return inStep ? [{ type: 'reset-step' }] : [];
  }

  function status({ status, reason }: Of<'turn_status'>): Chunk[] {
    const last = finished();
    if (status === 'error' && !failed) last.push(failure(reason ?? 'failed'));
    if (status === 'cancelled') last.push({ type: 'abort', ...(reason !== undefined && { reason }) });
    const otherwise = status === 'complete' ? 'stop' : 'other';
    return [...last, { type: 'finish', finishReason: failed ? 'error' : otherwise }];
  }

  function ofLine(line: LogLine): Chunk[] {
    switch (line.type) {
      case 'start':
      case 'step-start':
      case 'done':
        return [];
      case 'text':
      case 'reasoning':
        return words(line);
      case 'tool-call':
        return call(line, seqOf(line));
      case 'tool-result':
        return result(line);
      case 'step-end':
        stepEnd = seqOf(line);
        return closed();
      case 'rewind':
        return rewound(line);
      case 'error':
        return [...closed(), failure(line.message ?? line.code)];
      case 'turn_status':
        return status(line);
      case 'source':
      case 'file': {
        const known = reference(line);
        return known ? part(known) : [data(line)];
      }
      case 'waiting':
        return [data(line, { seq: seqOf(line) })];
      default:
        return [data(line)];
    }
  }

  return (line) => {
    if (line.type === 'gap') return torn ? [] : tear('a part of this answer is no longer there');
    if (!('from' in line)) return [];
    const start = begun ? [] : [{ type: 'start', messageId }];
    if (!begun) fixed = line.from - 1;
    begun = true;
    if (torn && line.type !== 'turn_status') return start;
    const before = stepEnd !== undefined && line.type !== 'rewind' ? finished() : [];
    return [...start, ...before, ...ofLine(line)];
  };
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A source or a file as the SDK knows it; undefined if it hasn't what that takes. */
function reference({ type, cursor, ...fields }: LogLine): Chunk | undefined {
  const { id, url, title, mediaType } = fields as Fields;
  if (!isText(url)) return undefined;
  if (type === 'file') return isText(mediaType) ? { type, url, mediaType } : undefined;
  const sourceId = isText(id) ? id : `source-${cursor}`;
  return { type: 'source-url', sourceId, url, ...(isText(title) && { title }) };
}

/** Shown and not kept. */
function data({ type, from: _, cursor: __, _t, ...fields }: LogLine, more: Fields = {}): Chunk {
  return { type: `data-${type}`, data: { ...fields, ...more }, transient: true };
}
