/**
 * Sorts an event, pure: what kind of thing it is, before anything is known of its room or its record. The order of the
 * questions is the protocol's (state before sender before type), so that nothing can pose as something else.
 */
import { type MessageContent, readMessage, readReaction } from '../matrix/content.ts';
import type { RoomEvent } from '../matrix/event.ts';
import type { Namespace } from '../matrix/ids.ts';

export type Sorted =
  | { readonly kind: 'state' }
  /** Sent by the bot or one of our users: bookkeeping, never gated. */
  | { readonly kind: 'own' }
  | { readonly kind: 'redaction'; readonly target: string }
  | { readonly kind: 'edit'; readonly target: string; readonly body: string }
  | { readonly kind: 'reaction'; readonly target: string; readonly key: string }
  | { readonly kind: 'message'; readonly content: MessageContent }
  | { readonly kind: 'encrypted' }
  /** Nothing anybody said. */
  | { readonly kind: 'other'; readonly reason: string };

export function sort(event: RoomEvent, namespace: Namespace): Sorted {
  if (event.stateKey !== undefined) return { kind: 'state' };
  const words = sortWords(event);
  // What one of ours takes back goes the way of any redaction.
  return namespace.isOurs(event.sender) && words.kind !== 'redaction' ? { kind: 'own' } : words;
}

/** What an event that is no state says, whoever sent it. */
export function sortWords(event: RoomEvent): Exclude<Sorted, { kind: 'state' | 'own' }> {
  switch (event.type) {
    case 'm.room.redaction':
      return event.redacts === undefined ? other('no-target') : { kind: 'redaction', target: event.redacts };
    case 'm.reaction': {
      const reaction = readReaction(event.content);
      return reaction ? { kind: 'reaction', ...reaction } : other('odd-reaction');
    }
    case 'm.room.encrypted':
      return { kind: 'encrypted' };
    case 'm.room.message':
      return sortMessage(event);
    default:
      return other('not-a-message');
  }
}

const other = (reason: string) => ({ kind: 'other', reason }) as const;

function sortMessage(event: RoomEvent): Exclude<Sorted, { kind: 'state' | 'own' }> {
  // A retried transaction may have lost what was redacted meanwhile.
  if (event.redactedBecause || Object.keys(event.content).length === 0) return other('redacted');
  const content = readMessage(event.content);
  if (content.replaces !== undefined) {
    if (!content.newContent) return other('odd-edit');
    return { kind: 'edit', target: content.replaces, body: readMessage(content.newContent).body };
  }
  if (content.ignored) return other('not-a-message');
  return content.body.trim() === '' ? other('empty') : { kind: 'message', content };
}

const YES = new Set(['👍', '✅', '✔', 'yes', 'y']);
const NO = new Set(['👎', '❌', '✖', 'no', 'n']);

/** The answer a reaction or a reply gives to a question; undefined for anything else. */
export function choiceOf(text: string): 'yes' | 'no' | undefined {
  // Skin tones and variation selectors say nothing.
  const plain = text
    .replace(/[\u{1F3FB}-\u{1F3FF}\u{FE0E}\u{FE0F}]/gu, '')
    .trim()
    .toLowerCase()
    .replace(/[.!]$/, '');
  if (YES.has(plain)) return 'yes';
  return NO.has(plain) ? 'no' : undefined;
}
