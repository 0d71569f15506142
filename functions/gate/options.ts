/**
 * What an operator decides about the gate, read from named variables. Numbers are whole; one that is odd or below its
 * minimum is the default, never clamped; an unknown policy is `silent`.
 */
import { globs } from '../matrix/ids.ts';

/** `silent`: group rooms are not answered. `gate`: by the rules. `answer`: every room as a direct one. */
export type Policy = 'silent' | 'gate' | 'answer';

export type Env = Readonly<Record<string, string | undefined>>;

export type GateNumbers = {
  readonly groupRooms: Policy;
  /** How long a thread stays active after an answer, ms. */
  readonly activeThreadTtlMs: number;
  /** The bot speaks in groups only with at least this power. */
  readonly requirePowerLevel: number;
  /** How long a room's picture and a name are good without a change, ms. */
  readonly roomInfoTtlMs: number;
};

export function gateNumbers(env: Env): GateNumbers {
  const policy = env.MATRIX_GROUP_ROOMS;
  return {
    groupRooms: policy === 'gate' || policy === 'answer' ? policy : 'silent',
    activeThreadTtlMs: whole(env.GROUP_CHAT_ACTIVE_THREAD_TTL_MS, 60_000, 1_800_000),
    requirePowerLevel: whole(env.GROUP_CHAT_REQUIRE_POWER_LEVEL, 0, 0),
    roomInfoTtlMs: whole(env.GROUP_CHAT_ROOM_INFO_TTL_MS, 60_000, 1_800_000),
  };
}

function whole(text: string | undefined, least: number, otherwise: number): number {
  if (!text?.trim()) return otherwise;
  const value = Number(text);
  return Number.isInteger(value) && value >= least ? value : otherwise;
}

type Who = (userId: string) => boolean;

export type GateOptions = GateNumbers & {
  readonly isPeer: Who;
  readonly isPerson: Who;
  /** On the list of allowed users; everybody, if there is none. */
  readonly isAllowed: Who;
  readonly isCaptured: Who;
  readonly isService: Who;
  /** Whose invites are accepted: by default those of our own server's users. */
  readonly mayInvite: Who;
  readonly limits: Limits;
};

/** How much is answered, in fixed windows. */
export type Limits = {
  readonly senderTurns: number;
  readonly roomTurns: number;
  readonly peerTurns: number;
  readonly unfinished: number;
};

export const LIMITS: Limits = { senderTurns: 20, roomTurns: 60, peerTurns: 5, unfinished: 100 };

/** Lists are of globs over user ids, apart by commas or white space. */
export function gateOptions(env: Env, server: string): GateOptions {
  const list = (name: string) => (env[name] ?? '').split(/[\s,]+/).filter(Boolean);
  const matches = (name: string) => globs(list(name));
  const orAll = (name: string): Who => (list(name).length > 0 ? matches(name) : () => true);
  const isAllowed = orAll('MATRIX_ALLOWED_USERS');
  const isUncaptured = matches('MATRIX_UNCAPTURED');
  const onlyAllowed = env.MATRIX_CAPTURE === 'allowed';
  const inviters = list('MATRIX_ALLOWED_INVITERS');
  return {
    ...gateNumbers(env),
    isPeer: matches('MATRIX_PEERS'),
    isPerson: matches('MATRIX_PEOPLE'),
    isAllowed,
    isCaptured: (user) => !isUncaptured(user) && (!onlyAllowed || isAllowed(user)),
    isService: matches('MATRIX_SERVICE_USERS'),
    mayInvite: globs(inviters.length > 0 ? inviters : [`@*:${server}`]),
    limits: LIMITS,
  };
}
