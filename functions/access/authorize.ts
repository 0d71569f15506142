/**
 * The one trust boundary: who the caller is, from a session or a ticket and from nothing else. Whatever a body says of
 * identity is a claim.
 */
import { isUserId, serverOf } from '../matrix/ids.ts';
import { type AccessDeps, type Caller, type Refused, refused, type Scope } from './ports.ts';
import { type Claims, verify } from './signing.ts';

export type Proof = {
  /** The header, whole. */
  readonly authorization?: string;
  readonly origin?: string;
  /** A ticket of the query. */
  readonly ticket?: string;
};

export async function authorize(deps: AccessDeps, proof: Proof): Promise<Caller | Refused> {
  const bearer = /^Bearer +([^\s]+)$/i.exec(proof.authorization ?? '')?.[1];
  const token = bearer ?? (deps.ticketInQuery ? proof.ticket : undefined);
  if (token === undefined) return refused('unauthorized', 'a session is needed');
  const verified = await verify(deps, token);
  // A session is never taken from a query.
  if (!verified || (bearer === undefined && verified.kind !== 'ticket'))
    return refused('unauthorized', 'not a session or ticket that is good now');
  const { kind, claims } = verified;
  const scope: Scope | undefined = kind === 'session' ? { kind } : ticketScope(claims);
  if (!scope || !isUserId(claims.sub)) return refused('unauthorized', 'not a session or ticket of ours');
  // Taking a homeserver off the list ends what its people hold.
  if (!deps.servers.includes(serverOf(claims.sub) ?? ''))
    return refused('forbidden', 'people of this homeserver have no access');
  if (claims.origin !== undefined && claims.origin !== proof.origin)
    return refused('forbidden', 'the ticket is for another origin');
  const { tenant } = deps;
  return { kind: 'caller', tenant, principal: deps.principalOf(claims.sub), user: claims.sub, scope };
}

function ticketScope({ turn, allows }: Claims): Scope | undefined {
  if (typeof turn !== 'string' || (allows !== 'follow' && allows !== 'stop')) return undefined;
  return { kind: 'ticket', turn, allows };
}
