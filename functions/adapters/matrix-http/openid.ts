/**
 * Asks a homeserver whose OpenID token it is (Matrix v1.19, server-server API, `GET /openid/userinfo`): at a fixed address,
 * without following redirects, within 3 s and 64 KB, the answer's last byte included. The token goes in the query, as the
 * API has it, and nowhere else.
 */
import type { Userinfo } from '../../access/ports.ts';
import { isRecord } from '../../matrix/json.ts';
import { parsed, textOf } from './body.ts';

const LIMIT_MS = 3_000;
const MAX_BYTES = 64 * 1024;

/** `bases`: the base URL of each homeserver, by its server name. */
export function openIdUserinfo(
  bases: ReadonlyMap<string, string>,
): (server: string, token: string) => Promise<Userinfo> {
  return async (server, token) => {
    const base = bases.get(server);
    if (base === undefined) return { kind: 'refused' };
    const query = new URLSearchParams({ access_token: token });
    try {
      const response = await fetch(`${base}/_matrix/federation/v1/openid/userinfo?${query}`, {
        redirect: 'manual',
        signal: AbortSignal.timeout(LIMIT_MS),
      });
      if (response.status !== 200) {
        await response.body?.cancel();
        return { kind: response.status >= 500 || response.status === 429 ? 'unreachable' : 'refused' };
      }
      const answer = parsed(await textOf(response, MAX_BYTES));
      return isRecord(answer) && typeof answer.sub === 'string'
        ? { kind: 'sub', sub: answer.sub }
        : { kind: 'refused' };
    } catch {
      // What went wrong may name the address, and the address has the token.
      return { kind: 'unreachable' };
    }
  };
}
