/**
 * A turn's lines as the chunks of the AI SDK's UI message stream (`ai` v7, `UIMessageChunk`), of which nothing is sent
 * that the SDK doesn't know: an unknown chunk kills its stream. Parts are opened before their first words and closed with
 * their step; after a rewind every part is started again. No imports at run time, so that clients can use it too.
 */
import type { TurnEvent } from './events.ts';
import type { Line, LogLine } from './lines.ts';

export type Chunk = { readonly type: string; readonly [field: string]: unknown };
export type Chunks = (line: Line) => Chunk[];

type Of<Type extends TurnEvent['type']> = Extract<TurnEvent, { type: Type }>;
type Fields = Readonly<Record<string, unknown>>;

/** `messageId` is the turn's. Lines are given in order, over as many connections as it takes. */
export function createChunks(messageId: string): Chunks {
  let begun = false;
  /** Whether `start-step` was sent since the last `finish-step`. */
  let inStep = false;
  let failed = false;
  let made = 0;
  let open: { readonly kind: 'text' | 'reasoning'; readonly part: unknown; readonly id: string } | undefined;
  const calls = new Set<string>();

  const closed = (): Chunk[] => {
    const ended = open ? [{ type: `${open.kind}-end`, id: open.id }] : [];
    open = undefined;
    return ended;
  };
  const stepped = (): Chunk[] => {
    if (inStep) return [];
    inStep = true;
    return [{ type: 'start-step' }];
  };
  const stepEnded = (): Chunk[] => {
    const chunks = [...closed(), ...(inStep ? [{ type: 'finish-step' }] : [])];
    inStep = false;
    return chunks;
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

  function result({ id, result, failed: why }: Of<'tool-result'>): Chunk[] {
    if (!calls.has(id)) return [];
    const of = { toolCallId: id, dynamic: true };
    return why === undefined
      ? [{ type: 'tool-output-available', ...of, output: result ?? null }]
      : [{ type: 'tool-output-error', ...of, errorText: why }];
  }

  function rewound(): Chunk[] {
    open = undefined;
    calls.clear();
    return inStep ? [{ type: 'reset-step' }] : [];
  }

  function status({ status, reason }: Of<'turn_status'>): Chunk[] {
    const last = stepEnded();
    if (status === 'complete') return [...last, { type: 'finish', finishReason: 'stop' }];
    if (status === 'cancelled')
      return [
        ...last,
        { type: 'abort', ...(reason !== undefined && { reason }) },
        { type: 'finish', finishReason: 'other' },
      ];
    const why = failed ? [] : [failure(reason ?? 'failed')];
    return [...last, ...why, { type: 'finish', finishReason: 'error' }];
  }

  function failure(text: string): Chunk {
    failed = true;
    return { type: 'error', errorText: text };
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
      case 'tool-call': {
        calls.add(line.id);
        const { id: toolCallId, name: toolName, arguments: input } = line;
        const call = {
          type: 'tool-input-available',
          toolCallId,
          toolName,
          input: input ?? null,
          dynamic: true,
        };
        return [...stepped(), ...closed(), call];
      }
      case 'tool-result':
        return result(line);
      case 'step-end':
        return stepEnded();
      case 'rewind':
        return rewound();
      case 'error':
        return [...closed(), failure(line.message ?? line.code)];
      case 'turn_status':
        return status(line);
      default:
        return [...stepped(), data(line)];
    }
  }

  return (line) => {
    if (line.type === 'gap') return [failure('a part of this answer is no longer there')];
    if (!('from' in line)) return [];
    const start = begun ? [] : [{ type: 'start', messageId }];
    begun = true;
    return [...start, ...ofLine(line)];
  };
}

/** Sources and files as the SDK knows them; anything else as data that is shown and not kept. */
function data({ type, from: _, cursor, _t, ...fields }: LogLine): Chunk {
  const { id, url, title, mediaType } = fields as Fields;
  const name = (text: unknown) => typeof text === 'string';
  if (type === 'source' && name(url))
    return {
      type: 'source-url',
      sourceId: name(id) ? id : `source-${cursor}`,
      url,
      ...(name(title) && { title }),
    };
  if (type === 'file' && name(url) && name(mediaType)) return { type: 'file', url, mediaType };
  return { type: `data-${type}`, data: fields, transient: true };
}
