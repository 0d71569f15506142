/** The recorded scenarios as data, those that need no chunk, fact, search or roster call, and what a recording expects. */
import { readFileSync } from 'node:fs';

export type Message = {
  readonly op: 'message';
  readonly roomId: string;
  readonly threadId: string;
  readonly eventId: string;
  readonly sender: string;
  readonly senderDid: string;
  readonly body: string;
  readonly ts: number;
  readonly mentionsBot: boolean;
  readonly inReplyTo?: string;
};

export type Step = { readonly dt?: number } & (
  | Message
  | { readonly op: 'observe'; readonly roomId: string; readonly message: Said }
  | { readonly op: 'advance'; readonly ms: number }
  | {
      readonly op: 'world';
      readonly roomId: string;
      readonly set: Partial<RecordedRoom>;
      readonly invalidate?: boolean;
    }
  | { readonly op: 'invalidate'; readonly roomId: string }
  | { readonly op: 'fail'; readonly target: string; readonly roomId: string; readonly on: boolean }
  | { readonly op: 'restart' }
);

export type RecordedRoom = {
  readonly id: string;
  readonly oracleAlias?: boolean;
  readonly create?: unknown;
  readonly members: readonly string[];
  readonly names?: Readonly<Record<string, unknown>>;
  readonly profiles?: Readonly<Record<string, string>>;
  readonly power?: unknown;
  readonly events?: Readonly<Record<string, unknown>>;
};

/** A message in the buffer. */
export type Said = {
  readonly eventId: string;
  readonly threadId: string;
  readonly senderDid: string;
  readonly senderMatrixUserId: string;
  readonly senderDisplayName: string;
  readonly body: string;
  readonly timestamp: number;
};
export type Thread = { readonly threadId: string; readonly expiresAt: number };
export type Person = { readonly matrixUserId: string; readonly displayName: string };

export type Decided = {
  readonly respond: boolean;
  readonly reason: string;
  readonly roomKind: string;
  readonly memberCount: number;
  readonly displayName: string;
};
/** `deferred` and `skipped` are our own: left to the worker, and not decided (again). */
export type Result = Decided | 'deferred' | 'skipped';

type Change<T> = { readonly del?: readonly string[]; readonly add?: readonly (readonly [number, T])[] };
export type RoomChange = {
  readonly buffer?: Change<Said>;
  readonly threads?: Change<Thread>;
  readonly members?: Change<Person>;
};
export type Outcome = {
  readonly result?: Result;
  readonly state?: Readonly<Record<string, RoomChange>>;
};

export type Scenario = {
  readonly name: string;
  readonly rule: string;
  readonly botUserId: string;
  readonly startAt: number;
  readonly options: {
    readonly groupRooms: string;
    readonly activeThreadTtlMs: number;
    readonly requirePowerLevel: number;
    readonly roomInfoTtlMs: number;
  };
  readonly rooms: readonly RecordedRoom[];
  readonly steps: readonly Step[];
  readonly outcomes: readonly Outcome[];
};

const OTHERS = /^(compact|refreshMembers|pin|unpin|recall|search|summarizer|release)$/;

const recorded = JSON.parse(
  readFileSync(new URL('./gate-golden.json', import.meta.url), 'utf8'),
) as Scenario[];

export const scenarios: readonly Scenario[] = recorded.filter(
  ({ steps, outcomes }) =>
    !steps.some(({ op }) => OTHERS.test(op)) &&
    !outcomes.some(({ state }) =>
      Object.values(state ?? {}).some((room) => 'chunks' in room || 'facts' in room),
    ),
);

/** What the recording says a room holds, gathered from what changed at each step. */
export class Held {
  readonly buffer = new Map<string, Said>();
  readonly threads = new Map<string, number>();
  readonly members = new Map<string, Person>();
  /** How far our clock was before the recording's when a thread was last answered in. */
  readonly ahead = new Map<string, number>();

  /** Until when threads are active by our clock, but for those whose time is over. */
  activeAt(now: number): Record<string, number> {
    const ours = [...this.threads].map(([id, until]) => [id, until + this.ahead.get(id)!] as const);
    return Object.fromEntries(ours.filter(([, until]) => until > now));
  }

  apply({ buffer, threads, members }: RoomChange): void {
    for (const id of buffer?.del ?? []) this.buffer.delete(id);
    for (const [, said] of buffer?.add ?? []) this.buffer.set(said.eventId, said);
    for (const id of threads?.del ?? []) this.threads.delete(id);
    for (const [, { threadId, expiresAt }] of threads?.add ?? []) this.threads.set(threadId, expiresAt);
    for (const id of members?.del ?? []) this.members.delete(id);
    for (const [, person] of members?.add ?? []) this.members.set(person.matrixUserId, person);
  }
}
