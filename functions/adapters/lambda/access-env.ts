/** What the environment says of who may come, and all that authorising needs but the table. Faults are said all at once. */
import { confirmInRoom } from '../../access/confirm-room.ts';
import { originFaults } from '../../access/origin.ts';
import type { AccessDeps } from '../../access/ports.ts';
import { isRecord } from '../../matrix/json.ts';
import { openIdUserinfo } from '../matrix-http/openid.ts';
import { sessionKeys } from '../secrets/session-keys.ts';
import type { Assembled } from './assemble.ts';
import type { Parts } from './compose.ts';
import { BadEnvironment } from './env.ts';

/** Names of variables, for the stack that sets them. */
export const ACCESS_ENV = {
  origins: 'ALLOWED_ORIGINS',
  servers: 'MATRIX_OPENID_SERVERS',
  confirm: 'MATRIX_SESSION_CONFIRM',
  ticketInQuery: 'TICKET_IN_QUERY',
} as const;

type Env = Readonly<Record<string, string | undefined>>;
type Given = Pick<Assembled, 'config' | 'clock' | 'random'> & {
  readonly parts: Pick<Parts, 'matrix' | 'tables'>;
};

export function accessOf(env: Env, { config, clock, random, parts }: Given): Omit<AccessDeps, 'table'> {
  const { bot, server } = config.namespace;
  const origins = (env[ACCESS_ENV.origins] ?? '').split(/[\s,]+/).filter(Boolean);
  const bases = basesOf(env[ACCESS_ENV.servers], new Map([[server, config.homeserver]]));
  const confirm = wordOf(env[ACCESS_ENV.confirm]);
  const ticketInQuery = wordOf(env[ACCESS_ENV.ticketInQuery]);
  const faults = [
    ...originFaults(origins).map((fault) => `${ACCESS_ENV.origins}: ${fault}`),
    ...(bases ? [] : [`${ACCESS_ENV.servers}: must be JSON, {"server": "https://…"}`]),
    ...(['', 'room'].includes(confirm) ? [] : [`${ACCESS_ENV.confirm}: must be "room" or nothing`]),
    ...(['', 'on', 'off'].includes(ticketInQuery)
      ? []
      : [`${ACCESS_ENV.ticketInQuery}: must be "on" or "off"`]),
  ];
  if (!bases || faults.length > 0) throw new BadEnvironment(faults);
  const { matrix, tables } = parts;
  return {
    clock,
    random,
    tenant: config.tenant,
    keys: () => sessionKeys(config.secret),
    principalOf: config.principalOf,
    origins,
    servers: [...bases.keys()],
    userinfo: openIdUserinfo(bases),
    ticketInQuery: ticketInQuery === 'on',
    ...(confirm === 'room' && { confirm: confirmInRoom({ table: tables.turns, matrix, random, bot }) }),
  };
}

const wordOf = (text = '') => text.trim().toLowerCase();

type Bases = ReadonlyMap<string, string>;
/** A name or an address, with or without a port. */
const SERVER = /^[\w.:[\]-]+$/;

/** Undefined if the text is not what it must be. */
function basesOf(text: string | undefined, otherwise: Bases): Bases | undefined {
  if (!text?.trim()) return otherwise;
  const named = recordOf(text);
  if (!named) return undefined;
  const bases = new Map<string, string>();
  for (const [server, base] of Object.entries(named)) {
    if (!SERVER.test(server) || !isBase(base)) return undefined;
    bases.set(server, base.replace(/\/+$/, ''));
  }
  return bases;
}

function recordOf(text: string) {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A path is put behind it, so nothing but a path may end it; `fetch` takes no credentials in it. */
const isBase = (base: unknown): base is string =>
  typeof base === 'string' && URL.canParse(base) && /^https?:\/\/[^?#@\s]+$/.test(base);
