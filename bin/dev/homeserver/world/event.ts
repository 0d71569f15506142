/**
 * An event as the world keeps it. All of it is fixed once it is stored, except what a redaction takes: `content`
 * is then replaced by the pruned one and `redactedBy` names the redaction.
 */

export type Content = Readonly<Record<string, unknown>>;

/** A state event as an invited user sees it. */
export type StrippedEvent = {
  readonly type: string;
  readonly state_key: string;
  readonly sender: string;
  readonly content: Content;
};

/** A client transaction id and whose it is: an access token's, or the whole service's. */
export type ClientTransaction = { readonly owner: string; readonly id: string };

/** What a caller says of an event; the world adds its id, time and position. */
export type Draft = {
  readonly type: string;
  readonly sender: string;
  readonly stateKey?: string | undefined;
  readonly content: Content;
  readonly redacts?: string | undefined;
  readonly inviteState?: readonly StrippedEvent[] | undefined;
  readonly transaction?: ClientTransaction | undefined;
};

export type StoredEvent = Omit<Draft, 'content'> & {
  readonly id: string;
  readonly room: string;
  content: Content;
  /** `origin_server_ts`, in ms. */
  readonly ts: number;
  /** Place in the one stream of all rooms, from 1. */
  readonly position: number;
  /** The state event it took the place of. */
  readonly replaces?: string | undefined;
  redactedBy?: string | undefined;
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
