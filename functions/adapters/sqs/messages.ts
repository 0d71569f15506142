/**
 * The queue's messages as JSON: ids and times only, versioned, read back by one tolerant parser. Group and deduplication
 * ids are hashes or turn ids, since SQS takes 128 ASCII characters only.
 */
import type { Notice } from '../../gate/decide.ts';
import { hash } from '../../gate/keys.ts';
import type { Join } from '../../inbox/ports.ts';
import type { WorkMessage } from '../../work/handle.ts';

const VERSION = 1;

export type Envelope = { readonly body: string; readonly group: string; readonly deduplication: string };

function envelope(message: WorkMessage, group: string, deduplication: string): Envelope {
  // SQS, and what stands in for it, refuse some characters that JSON leaves as they are: none is left but ASCII.
  const body = JSON.stringify({ v: VERSION, ...message }).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return { body, group, deduplication };
}

export const messages = {
  turn: (turn: string, conversation: string, deduplication: string) =>
    envelope({ kind: 'turn', turn }, conversation, deduplication),
  decide: (room: string, event: string, round: number) =>
    envelope(
      { kind: 'decide', room, event },
      hash(room, 'decide'),
      `${hash(room, event)}.decide${round === 0 ? '' : `.${round}`}`,
    ),
  join: (join: Join) =>
    envelope({ kind: 'join', ...join }, hash(join.room, 'join'), `${hash(join.room, join.event)}.join`),
  notice: (room: string, event: string, notice: Notice) =>
    envelope(
      { kind: 'notice', room, event, notice },
      hash(room, 'notice'),
      `${hash(room, event, notice.kind)}.notice.${notice.window}`,
    ),
} as const;

const NOTICES: ReadonlySet<unknown> = new Set<Notice['kind']>(['stale', 'loop', 'rate-limited', 'encrypted']);

/** Undefined for anything this release did not write. */
export function parseMessage(body: string): WorkMessage | undefined {
  let message: Record<string, unknown>;
  try {
    message = JSON.parse(body) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  if (message?.v !== VERSION) return undefined;
  const { kind, turn, room, event, by, since, predecessor, notice } = message;
  const text = (value: unknown): value is string => typeof value === 'string' && value !== '';
  if (kind === 'turn' && text(turn)) return { kind, turn };
  if (!text(room) || !text(event)) return undefined;
  if (kind === 'decide') return { kind, room, event };
  if (kind === 'join' && text(by) && typeof since === 'number')
    return { kind, room, event, by, since, ...(text(predecessor) && { predecessor }) };
  const { kind: noticeKind, window } = (notice ?? {}) as Record<string, unknown>;
  if (kind === 'notice' && NOTICES.has(noticeKind) && text(window))
    return { kind, room, event, notice: { kind: noticeKind as Notice['kind'], window } };
  return undefined;
}
