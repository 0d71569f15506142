/**
 * The port to a homeserver: the calls of the client-server API (spec v1.19) that Turnpike makes as the bot, one attempt
 * each. Every call resolves with what it promises or rejects with a {@link MatrixError}; each takes a `signal`.
 */
import type { RoomEvent } from './event.ts';
import type { Json } from './json.ts';
import type { Creation } from './power.ts';

/**
 * `refused`: the homeserver said no and would say so again. `limited`: too many calls, nothing was done. `unreachable`:
 * no answer, none that can be read, or one that is the server's own fault; whether a write took effect is unknown.
 * `held`: the caller's own `mayLeave` said no, and nothing was sent.
 */
export type Failure = 'refused' | 'limited' | 'unreachable' | 'held';

export type MatrixFault = {
  readonly kind: Failure;
  /** The HTTP status; 0 if there was no answer. */
  readonly status?: number;
  /** Empty if the answer had none. */
  readonly errcode?: string;
  /** How long the homeserver asks to wait. */
  readonly retryAfterMs?: number;
  /** What the application service itself answered to a ping, if that was the trouble. */
  readonly pinged?: number;
  /** Why there is no answer that can be read, in a word or two. */
  readonly reason?: string;
};

/** A call that failed. Its message names the call and the failure, never a token, an address or a body. */
export class MatrixError extends Error {
  override readonly name = 'MatrixError';
  readonly kind: Failure;
  readonly status: number;
  readonly errcode: string;
  readonly retryAfterMs: number | undefined;
  readonly pinged: number | undefined;

  constructor(call: string, { kind, status = 0, errcode = '', retryAfterMs, pinged, reason }: MatrixFault) {
    super(`${call}: ${[kind, status || '', errcode, reason].filter(Boolean).join(' ')}`);
    this.kind = kind;
    this.status = status;
    this.errcode = errcode;
    this.retryAfterMs = retryAfterMs;
    this.pinged = pinged;
  }
}

export const isMatrixError = (error: unknown): error is MatrixError => error instanceof MatrixError;

export type Call = {
  readonly signal?: AbortSignal;
  /** Asked in the tick in which the request would leave, by the calls that say so. */
  readonly mayLeave?: () => boolean;
};

export type Member = { readonly userId: string; readonly displayName?: string };

/** `truncated`: there are more than were read; then `members` are some of them, maybe none. */
export type Members = { readonly members: readonly Member[]; readonly truncated: boolean };

export type Profile = { readonly displayName?: string; readonly avatarUrl?: string };

/** Newest first. `end` is where to read on towards older events; undefined when there are none. */
export type Messages = { readonly events: readonly RoomEvent[]; readonly end?: string };

export type MessagesOptions = {
  readonly limit: number;
  /** The `end` of an earlier answer; from the newest event if absent. */
  readonly from?: string;
  /** Only what these users sent. */
  readonly senders?: readonly string[];
};

export type RoomOptions = {
  readonly name?: string;
  readonly preset?: 'private_chat' | 'trusted_private_chat' | 'public_chat';
  readonly invite?: readonly string[];
  readonly isDirect?: boolean;
};

export type MatrixClient = {
  /** The user that the token speaks for. */
  whoami(call?: Call): Promise<string>;
  /** Registers a user of our namespace, without a device; repeating it is fine. */
  register(localpart: string, call?: Call): Promise<'registered' | 'exists'>;
  setDisplayName(name: string, call?: Call): Promise<void>;
  /** `url` is an `mxc:` one. */
  setAvatarUrl(url: string, call?: Call): Promise<void>;
  /** Undefined if the user has none or is unknown. */
  profile(userId: string, call?: Call): Promise<Profile | undefined>;
  /** Has the homeserver call our webhook; how long that took, in ms. Ends Synapse's back-off at once. */
  ping(appserviceId: string, call?: Call): Promise<number>;
  /** Joins by id or alias; `via` are servers that know the room. The room's id. Repeating it is fine. */
  join(room: string, via: readonly string[], call?: Call): Promise<string>;
  leave(room: string, call?: Call): Promise<void>;
  /** The rooms the bot is in. */
  joinedRooms(call?: Call): Promise<readonly string[]>;
  /** The content of a state event; undefined if the room has none. */
  state(room: string, type: string, key: string, call?: Call): Promise<Json | undefined>;
  /**
   * Who created the room, and how; undefined if it cannot be seen. The sender is empty if the homeserver does not say:
   * an old one, of a room of version 11 or later.
   */
  creation(room: string, call?: Call): Promise<Creation | undefined>;
  /** At most 5,000 members and 1 MB are read. */
  joinedMembers(room: string, call?: Call): Promise<Members>;
  /** The same for people who are invited. */
  invitedMembers(room: string, call?: Call): Promise<Members>;
  /** Undefined if there is no such event, or none that the bot may see. */
  event(room: string, event: string, call?: Call): Promise<RoomEvent | undefined>;
  /** Back from the newest event, or from where `from` says. Events that cannot be parsed are left out. */
  messages(room: string, options: MessagesOptions, call?: Call): Promise<Messages>;
  /**
   * The event's id. The same room, type and `txnId` give the same event for as long as the homeserver remembers it:
   * 30–60 minutes, less if it restarts. Asks `mayLeave`.
   */
  send(room: string, type: string, txnId: string, content: object, call?: Call): Promise<string>;
  /** The redaction's id; repeated as {@link send}. */
  redact(room: string, event: string, txnId: string, reason?: string, call?: Call): Promise<string>;
  typing(room: string, on: boolean, timeoutMs: number, call?: Call): Promise<void>;
  /** Marks the room as read up to the event. */
  receipt(room: string, event: string, call?: Call): Promise<void>;
  /** The room that the directory of the alias's server names; undefined if there is no such alias. */
  resolveAlias(alias: string, call?: Call): Promise<string | undefined>;
  /** The room's id. Repeating it makes another room. */
  createRoom(options: RoomOptions, call?: Call): Promise<string>;
};
