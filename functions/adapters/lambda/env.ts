/**
 * The environment of the functions, by name. Checked once at the first invocation, all faults at once; nothing here is a
 * secret: tokens come from the secret that `SECRET_ARN` names.
 */
import * as z from 'zod/mini';
import { type GateOptions, gateOptions } from '../../gate/options.ts';
import { BadPattern, type PrincipalOf, principalPattern, principals } from '../../gate/principal.ts';
import { isUserId, type Namespace, namespace, serverOf } from '../../matrix/ids.ts';
import type { WorkOptions } from '../../work/ports.ts';
import type { OwnAgent } from '../models/choose.ts';
import { KEEP, type Keep } from './compose.ts';
import { matchesInTime } from './pattern.ts';

/** Names of variables, for the stack that sets them. */
export const ENV = {
  turnsTable: 'TURNS_TABLE',
  gateTable: 'GATE_TABLE',
  memoryTable: 'MEMORY_TABLE',
  turnsQueue: 'TURNS_QUEUE_URL',
  watchdogQueue: 'WATCHDOG_QUEUE_URL',
  secret: 'SECRET_ARN',
  homeserver: 'HOMESERVER_URL',
  bot: 'BOT_USER_ID',
  prefix: 'USER_PREFIX',
  appservice: 'APPSERVICE_ID',
  tenant: 'TENANT',
  model: 'MODEL',
  localModelWordMs: 'LOCAL_MODEL_WORD_MS',
  tools: 'AGENT_TOOLS',
  agentFunction: 'AGENT_FUNCTION_ARN',
  agentUrl: 'AGENT_URL',
  principalPattern: 'MATRIX_PRINCIPAL_PATTERN',
  principalServers: 'MATRIX_PRINCIPAL_SERVERS',
  mentionAsker: 'MATRIX_MENTION_ASKER',
  liveEdits: 'MATRIX_LIVE_EDITS',
  turnDays: 'TURN_KEEP_DAYS',
  memoryAfterLeaveDays: 'MEMORY_AFTER_LEAVE_DAYS',
  startsPerMinute: 'TURN_STARTS_PER_MINUTE',
} as const;

/** With or without a version or alias. */
const FUNCTION_ARN = /^arn:aws[\w-]*:lambda:[\w-]+:\d{12}:function:[\w-]{1,64}(:[\w$-]{1,128})?$/;
/** An agent at a URL is for development. */
export const LOOPBACK = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?(\/\S*)?$/;

const text = z.string().check(z.minLength(1));
const url = z.url();
const days = (otherwise: number) =>
  z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(3_650)), otherwise);

const shape = z.object({
  [ENV.turnsTable]: text,
  [ENV.gateTable]: text,
  [ENV.memoryTable]: text,
  [ENV.turnsQueue]: url,
  [ENV.watchdogQueue]: url,
  [ENV.secret]: text,
  [ENV.homeserver]: url,
  [ENV.bot]: z.string().check(z.refine(isUserId, 'not a Matrix user id')),
  [ENV.prefix]: z.string().check(z.regex(/^[a-z0-9._=/+-]+$/, 'not a prefix of localparts')),
  [ENV.appservice]: text,
  [ENV.tenant]: z.optional(text),
  [ENV.model]: z._default(z.literal('local'), 'local'),
  [ENV.agentFunction]: z.optional(z.string().check(z.regex(FUNCTION_ARN, 'not the ARN of a function'))),
  [ENV.agentUrl]: z.optional(z.string().check(z.regex(LOOPBACK, 'not a URL of this machine'))),
  [ENV.localModelWordMs]: z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(10_000)), 0),
  [ENV.principalPattern]: z.optional(z.string()),
  [ENV.turnDays]: days(KEEP.turnDays),
  [ENV.memoryAfterLeaveDays]: days(KEEP.memoryAfterLeaveDays),
  [ENV.startsPerMinute]: z._default(z.coerce.number().check(z.int(), z.minimum(1), z.maximum(10_000)), 30),
});

export type Config = {
  readonly tables: { readonly turns: string; readonly gate: string; readonly memory: string };
  readonly queues: { readonly turns: string; readonly watchdog: string };
  readonly secret: string;
  readonly homeserver: string;
  readonly namespace: Namespace;
  readonly appservice: string;
  readonly tenant: string;
  readonly localModelWordMs: number;
  readonly allowedTools: readonly string[];
  readonly ownAgent?: OwnAgent;
  readonly gate: GateOptions;
  readonly principalOf: PrincipalOf;
  readonly work: WorkOptions;
  readonly keep: Keep;
  /** How many turns a person may start over HTTP in a minute. */
  readonly startsPerMinute: number;
};

/** Every fault of the environment, each with its variable's name. */
export class BadEnvironment extends Error {
  override readonly name = 'BadEnvironment';
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`the environment is not complete: ${faults.join('; ')}`);
    this.faults = faults;
  }
}

export function readEnv(env: Readonly<Record<string, string | undefined>>): Config {
  const read = shape.safeParse(env);
  const faults = read.success
    ? []
    : read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  if (env[ENV.agentFunction] !== undefined && env[ENV.agentUrl] !== undefined)
    faults.push(`${ENV.agentUrl}: there is ${ENV.agentFunction} already`);
  const pattern = patternOf(env[ENV.principalPattern], faults);
  if (!read.success || faults.length > 0) throw new BadEnvironment(faults);
  const given = read.data;
  const server = serverOf(given.BOT_USER_ID)!;
  const on = (name: string) => env[name]?.trim().toLowerCase() === 'on';
  const servers = (env[ENV.principalServers] ?? server).split(/[\s,]+/).filter(Boolean);
  return {
    tables: { turns: given.TURNS_TABLE, gate: given.GATE_TABLE, memory: given.MEMORY_TABLE },
    queues: { turns: given.TURNS_QUEUE_URL, watchdog: given.WATCHDOG_QUEUE_URL },
    secret: given.SECRET_ARN,
    homeserver: given.HOMESERVER_URL.replace(/\/+$/, ''),
    namespace: namespace(given.BOT_USER_ID, given.USER_PREFIX),
    appservice: given.APPSERVICE_ID,
    tenant: given.TENANT ?? server,
    localModelWordMs: given.LOCAL_MODEL_WORD_MS,
    allowedTools: allowList(env[ENV.tools]),
    ...ownAgentOf(given),
    gate: gateOptions(env, server),
    principalOf: principals(pattern, servers),
    keep: { turnDays: given.TURN_KEEP_DAYS, memoryAfterLeaveDays: given.MEMORY_AFTER_LEAVE_DAYS },
    startsPerMinute: given.TURN_STARTS_PER_MINUTE,
    work: { mentionAsker: on(ENV.mentionAsker), liveEdits: on(ENV.liveEdits) },
  };
}

function ownAgentOf(given: { AGENT_FUNCTION_ARN?: string; AGENT_URL?: string }): { ownAgent?: OwnAgent } {
  if (given.AGENT_FUNCTION_ARN !== undefined) return { ownAgent: { functionArn: given.AGENT_FUNCTION_ARN } };
  return given.AGENT_URL === undefined ? {} : { ownAgent: { url: given.AGENT_URL } };
}

function patternOf(text: string | undefined, faults: string[]): RegExp | undefined {
  if (!text?.trim()) return undefined;
  try {
    const pattern = principalPattern(text);
    if (matchesInTime(pattern)) return pattern;
    faults.push(`${ENV.principalPattern}: takes too long on some user ids`);
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    faults.push(`${ENV.principalPattern}: ${error.message}`);
  }
  return undefined;
}

/** A JSON array of names. A list that is absent, empty or unreadable allows nothing. */
function allowList(text: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) && list.every((name) => typeof name === 'string') ? list : [];
  } catch {
    return [];
  }
}
