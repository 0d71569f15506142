/** What the stream function needs of others, and how a request and its answer look to it. */
import type { AccessDeps } from '../access/ports.ts';
import type { Invocation, WorkDeps } from '../work/ports.ts';

export type StreamRequest = {
  readonly method: string;
  /** Not yet decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  body(): string;
  /** The client's IP address, as the front door saw it. */
  readonly address: string;
  readonly invocation: Invocation;
};

type Headers = Readonly<Record<string, string>>;

export type Answer =
  | {
      readonly kind: 'json';
      readonly status: number;
      readonly headers?: Headers;
      readonly body: object;
    }
  | { readonly kind: 'empty'; readonly status: 204; readonly headers?: Headers }
  /** `run` writes the body and resolves when all work of the request is done. It is to be called in any case. */
  | { readonly kind: 'stream'; readonly headers: Headers; run(out: Out): Promise<void> };

/** Where a body goes. A client that goes away is seen late or never; what is written then goes nowhere. */
export type Out = {
  write(text: string): void;
  /** Bytes written that have not left yet. */
  waiting(): number;
  /** Resolves when there is room again, or nobody to write to. */
  drained(): Promise<void>;
  gone(): boolean;
};

/** The stop and start of turns, over the table of turns, which must be patient. */
export type StreamDeps = {
  readonly access: AccessDeps;
  readonly work: WorkDeps;
  /** Whether the user may see what is said in the room: its joined members. Asked at each attach. */
  mayFollow(user: string, room: string): Promise<boolean>;
  /** Members who may redact there. */
  mayStop(user: string, room: string): Promise<boolean>;
  /** How many turns a person may start in a minute. */
  readonly startsPerMinute: number;
  /** How long a turn is kept, s. */
  readonly keepS: number;
  /** An error nobody expected: only its name and place may be kept. */
  fail(error: unknown): void;
};
