/**
 * Signs what we hand out and verifies what comes back: JWTs of one algorithm (HS256, RFC 7515–7519), with a type each, so
 * that a ticket is never taken for a session. Keys have ids and are rotated: the one before is good until its time.
 */
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose';
import type { AccessDeps } from './ports.ts';

export type Kind = 'session' | 'ticket';
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

const ALGORITHM = 'HS256';
const ISSUER = 'turnpike';
/** A longer token is none of ours. */
const MAX_CHARACTERS = 4_096;
/** Hosts' clocks differ, s. */
const SKEW_S = 5;

const typeOf = (kind: Kind) => `${kind}+jwt`;

/** `until`: ms. */
export async function sign(
  { keys, clock, tenant }: AccessDeps,
  kind: Kind,
  claims: Claims,
  until: number,
): Promise<string> {
  const { id, secret } = (await keys()).current;
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, kid: id, typ: typeOf(kind) })
    .setIssuer(ISSUER)
    .setAudience(tenant)
    .setIssuedAt(Math.floor(clock.now() / 1_000))
    .setExpirationTime(Math.floor(until / 1_000))
    .sign(secret);
}

/** The kind and claims of a token that is ours and still good; undefined for anything else. */
export async function verify(
  { keys, clock, tenant }: AccessDeps,
  token: string,
): Promise<{ readonly kind: Kind; readonly claims: Claims } | undefined> {
  if (token.length > MAX_CHARACTERS) return undefined;
  const { current, previous } = await keys();
  try {
    const { kid, typ } = decodeProtectedHeader(token);
    const kind = (['session', 'ticket'] as const).find((one) => typeOf(one) === typ);
    const key = [current, previous].find((one) => one?.id === kid);
    if (!kind || !key || (key.until ?? Number.POSITIVE_INFINITY) < clock.now()) return undefined;
    const { payload } = await jwtVerify(token, key.secret, {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: tenant,
      typ: typeOf(kind),
      requiredClaims: ['sub', 'exp', 'iat'],
      clockTolerance: SKEW_S,
      currentDate: new Date(clock.now()),
    });
    return typeof payload.sub === 'string' ? { kind, claims: payload as Claims } : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}
