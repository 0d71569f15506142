/**
 * The names of things: a turn's id is known before the turn runs, from what it answers; a conversation's key is a hash
 * of who speaks with the agent and where. Equal inputs give equal ids for ever, so a repetition meets its own rows.
 */
import { createHash } from 'node:crypto';

/** A SHA-256 over the fields, cut to 16 bytes: 22 characters of base64url. No field can imitate a boundary. */
export function hashOf(...fields: readonly string[]): string {
  const hash = createHash('sha256');
  for (const [index, field] of fields.entries()) hash.update(index === 0 ? field : `\0${field}`);
  return hash.digest().subarray(0, 16).toString('base64url');
}

export function matrixTurnId(room: string, event: string): string {
  return hashOf('matrix', room, event);
}

export function httpTurnId(tenant: string, principal: string, conversation: string, key: string): string {
  return hashOf('http', tenant, principal, conversation, key);
}

/** The id of a turn's answer, known before there is one. */
export const messageId = (turn: string): string => `msg_${hashOf('message', turn)}`;

/** What one running turn at a time, the queue's order and history hang on. Nobody can name another's. */
export type Conversation =
  | { readonly kind: 'group'; readonly room: string; readonly sender: string }
  | { readonly kind: 'group'; readonly room: string; readonly thread: string }
  | { readonly kind: 'direct'; readonly room: string; readonly sender: string; readonly thread?: string }
  | { readonly kind: 'http'; readonly tenant: string; readonly principal: string; readonly name: string };

export function conversationId(conversation: Conversation): string {
  switch (conversation.kind) {
    case 'http':
      return hashOf('http', conversation.tenant, conversation.principal, conversation.name);
    case 'direct':
      return hashOf('direct', conversation.room, conversation.sender, conversation.thread ?? '');
    case 'group':
      return 'thread' in conversation
        ? hashOf('group thread', conversation.room, conversation.thread)
        : hashOf('group', conversation.room, conversation.sender);
  }
}

/** Sorts as the messages came: received ms (13 digits) and the index in its transaction (3 digits). */
export function orderOf(receivedMs: number, index: number): string {
  return millis(receivedMs) + String(Math.min(index, 999)).padStart(3, '0');
}

/** Milliseconds as 13 digits, so that text sorts as time. */
export function millis(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(13, '0');
}
