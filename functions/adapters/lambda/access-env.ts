/** What the environment says of who may come, and all that authorising needs but the table. Faults are said all at once. */
import { originFaults } from '../../access/origin.ts';
import type { AccessDeps } from '../../access/ports.ts';
import type { MatrixClient } from '../../matrix/client.ts';
import { isRecord } from '../../matrix/json.ts';
import { openIdUserinfo } from '../matrix-http/openid.ts';
import { sessionKeys } from '../secrets/session-keys.ts';
import type { Assembled } from './assemble.ts';
import { BadEnvironment } from './env.ts';

/** Names of variables, for the stack that sets them. */
export const ACCESS_ENV = {
  origins: 'ALLOWED_ORIGINS',
  servers: 'MATRIX_OPENID_SERVERS',
  confirm: 'MATRIX_SESSION_CONFIRM',
  ticketInQuery: 'TICKET_IN_QUERY',
} as const;

type Env = Readonly<Record<string, string | undefined>>;

export function accessOf(env: Env, assembled: Assembled): Omit<AccessDeps, 'table'> {
  const { config, clock, random, parts } = assembled;
  const origins = (env[ACCESS_ENV.origins] ?? '').split(/[\s,]+/).filter(Boolean);
  const bases = basesOf(env[ACCESS_ENV.servers], new Map([[config.namespace.server, config.homeserver]]));
  const confirm = env[ACCESS_ENV.confirm] ?? '';
  const faults = [
    ...originFaults(origins).map((fault) => `${ACCESS_ENV.origins}: ${fault}`),
    ...(bases ? [] : [`${ACCESS_ENV.servers}: must be JSON, {"server": "https://…"}`]),
    ...(['', 'room'].includes(confirm) ? [] : [`${ACCESS_ENV.confirm}: must be "room" or nothing`]),
  ];
  if (!bases || faults.length > 0) throw new BadEnvironment(faults);
  return {
    clock,
    random,
    tenant: config.tenant,
    keys: () => sessionKeys(config.secret),
    principalOf: config.principalOf,
    origins,
    servers: [...bases.keys()],
    userinfo: openIdUserinfo(bases),
    ticketInQuery: env[ACCESS_ENV.ticketInQuery]?.trim().toLowerCase() === 'on',
    ...(confirm === 'room' && { confirm: confirmInRoom(parts.matrix) }),
  };
}

function basesOf(
  text: string | undefined,
  otherwise: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> | undefined {
  if (!text?.trim()) return otherwise;
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return undefined;
    const entries = Object.entries(value).map(([server, base]) => {
      const url = typeof base === 'string' && URL.canParse(base) ? new URL(base) : undefined;
      return url && /^https?:$/.test(url.protocol)
        ? ([server, (base as string).replace(/\/+$/, '')] as const)
        : undefined;
    });
    return entries.includes(undefined) ? undefined : new Map(entries as [string, string][]);
  } catch {
    return undefined;
  }
}

/** In a direct room of its own, which is left behind: what it holds is good for ten minutes. */
const confirmInRoom = (matrix: MatrixClient) => async (user: string, code: string) => {
  const room = await matrix.createRoom({ preset: 'trusted_private_chat', invite: [user], isDirect: true });
  const body = `Your code is ${code}. Give it to nobody: it opens a session in your name.`;
  await matrix.send(room, 'm.room.message', `code.${room}`, { msgtype: 'm.notice', body });
};
