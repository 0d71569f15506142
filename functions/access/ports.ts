/** Who a caller is, and what it takes to find out. */
import type { Clock, Random } from '../runtime/clock.ts';
import type { Table } from '../runtime/table.ts';

/** A session proves a person; a ticket proves a person's leave to do one thing with one turn. */
export type Scope =
  | { readonly kind: 'session' }
  | { readonly kind: 'ticket'; readonly turn: string; readonly allows: Allows };
export type Allows = 'follow' | 'stop';

export type Caller = {
  readonly kind: 'caller';
  readonly tenant: string;
  readonly principal: string;
  /** The Matrix user id. */
  readonly user: string;
  readonly scope: Scope;
};

export type Refused = {
  readonly kind: 'refused';
  readonly code: 'bad_request' | 'unauthorized' | 'forbidden' | 'too_many' | 'retry';
  readonly message: string;
  readonly retryAfterS?: number;
};

export const refused = (code: Refused['code'], message: string, retryAfterS?: number): Refused => ({
  kind: 'refused',
  code,
  message,
  ...(retryAfterS !== undefined && { retryAfterS }),
});

/** What the homeserver says whose token it is. */
export type Userinfo =
  | { readonly kind: 'sub'; readonly sub: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'unreachable' };

/** At least 32 bytes. `until`: ms; a key without is good. */
export type SigningKey = { readonly id: string; readonly secret: Uint8Array; readonly until?: number };
export type SigningKeys = { readonly current: SigningKey; readonly previous?: SigningKey };

export type AccessDeps = {
  /** The table of turns. */
  readonly table: Table;
  readonly clock: Clock;
  readonly random: Random;
  readonly tenant: string;
  readonly keys: () => Promise<SigningKeys>;
  readonly principalOf: (user: string) => string;
  /** Exact origins of pages that may call us. */
  readonly origins: readonly string[];
  /** The homeservers whose people may come; each is asked at its own fixed address. */
  readonly servers: readonly string[];
  readonly userinfo: (server: string, token: string) => Promise<Userinfo>;
  /** Whether a ticket may come in the query, where logs and histories keep it. */
  readonly ticketInQuery: boolean;
  /** Sends the person a code to prove that the session is theirs; false if it could not. Without it none is asked for. */
  readonly confirm?: (user: string, code: string) => Promise<boolean>;
};
