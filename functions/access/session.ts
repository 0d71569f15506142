/**
 * A session for a person's OpenID token: the homeserver that made the token says whose it is. Limits come before we call
 * out, and the token is spent before we call out, so nobody can make us ask twice or ask others for them. Matrix
 * specification v1.19, "OpenID" (client-server) and `/openid/userinfo` (server-server).
 */
import { isUserId, serverOf } from '../matrix/ids.ts';
import { any, eq, noRow } from '../runtime/table.ts';
import { hashOf } from '../turns/ids.ts';
import { keys } from '../turns/keys.ts';
import { checkCode, sendCode } from './code.ts';
import { networkOf } from './network.ts';
import { type AccessDeps, type Refused, refused } from './ports.ts';
import { overQuota } from './quota.ts';
import { sign } from './signing.ts';

export type Opened =
  | {
      readonly kind: 'session';
      readonly session: string;
      readonly principal: string;
      readonly user: string;
      /** ms */
      readonly expires: number;
    }
  /** The person was sent a code, which is to come with another token. */
  | { readonly kind: 'confirm' }
  | Refused;

export type SessionRequest = {
  readonly openid: unknown;
  readonly code?: unknown;
  /** The caller's IP address. */
  readonly address: string;
};

const SESSION_MS = 15 * 60_000;
const MINUTE_MS = 60_000;
const A_MINUTE_BY_ADDRESS = 10;
const A_MINUTE_IN_ALL = 300;
/** A homeserver's token lives for an hour; s. */
const KEEP_SPENT_S = 24 * 3_600;
const MAX_TOKEN = 2_048;

export async function openSession(deps: AccessDeps, request: SessionRequest): Promise<Opened> {
  const claimed = claimOf(request.openid);
  if (!claimed) return refused('bad_request', 'openid must be the answer of the homeserver, as it was');
  if (request.code !== undefined && typeof request.code !== 'string')
    return refused('bad_request', 'code must be text');
  if (!deps.servers.includes(claimed.server))
    return refused('forbidden', 'people of this homeserver have no access');
  const over = await overLimits(deps, request.address);
  if (over !== undefined) return refused('too_many', 'too many sessions are asked for', over);
  if (!(await spend(deps, claimed))) return refused('unauthorized', 'this token has been used');
  const answer = await deps.userinfo(claimed.server, claimed.token);
  if (answer.kind === 'unreachable') return refused('retry', 'the homeserver does not answer', 5);
  const user = answer.kind === 'sub' ? answer.sub : undefined;
  // A server speaks for its own people only.
  if (!isUserId(user) || serverOf(user) !== claimed.server)
    return refused('unauthorized', 'the homeserver does not know this token');
  if (deps.confirm) {
    if (request.code === undefined)
      return (await sendCode({ ...deps, confirm: deps.confirm }, user)) ?? { kind: 'confirm' };
    if (!(await checkCode(deps, user, request.code)))
      return refused('unauthorized', 'this is not the code, or no longer');
  }
  const expires = deps.clock.now() + SESSION_MS;
  const session = await sign(deps, 'session', { sub: user }, expires);
  return { kind: 'session', session, principal: deps.principalOf(user), user, expires };
}

type Claimed = { readonly token: string; readonly server: string };

function claimOf(openid: unknown): Claimed | undefined {
  if (typeof openid !== 'object' || openid === null) return undefined;
  const { access_token: token, matrix_server_name: server } = openid as Record<string, unknown>;
  const isToken = typeof token === 'string' && /^[\x21-\x7e]+$/.test(token) && token.length <= MAX_TOKEN;
  return isToken && typeof server === 'string' ? { token, server } : undefined;
}

async function overLimits({ table, clock, random }: AccessDeps, address: string) {
  const counted = { id: random.id(12), now: clock.now(), windowMs: MINUTE_MS };
  const byAddress = { ...counted, name: `session ${networkOf(address)}`, limit: A_MINUTE_BY_ADDRESS };
  return (
    (await overQuota(table, byAddress)) ??
    (await overQuota(table, { ...counted, name: 'sessions', limit: A_MINUTE_IN_ALL }))
  );
}

/** False if it was spent before, by whomever. */
async function spend({ table, clock, random }: AccessDeps, { server, token }: Claimed): Promise<boolean> {
  const ex = Math.floor(clock.now() / 1_000) + KEEP_SPENT_S;
  // By its id the write knows itself when the store's answer was lost and it is repeated.
  const by = random.id(12);
  const row = { ...keys.spent(hashOf('openid', server, token)), by, ex };
  return (await table.put({ op: 'spent', row, when: any(noRow, eq('by', by)) })) === 'written';
}
