/** Access as the stream function has it, over a table in memory and homeservers that a test speaks for. */
import { createHash } from 'node:crypto';
import type { AccessDeps, SigningKey, SigningKeys, Userinfo } from '../../functions/access/ports.ts';
import { openSession } from '../../functions/access/session.ts';
import { seededRandom, virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { memoryTable } from '../fakes/table.ts';

export const ORIGIN = 'https://chat.example';

export const keyNamed = (id: string, more: Partial<SigningKey> = {}): SigningKey => ({
  id,
  secret: createHash('sha256').update(id).digest(),
  ...more,
});

export function accessGate(more: Partial<AccessDeps> = {}) {
  const clock = virtualClock();
  /** What a homeserver answers for a token, `server token`. */
  const tokens = new Map<string, Userinfo>();
  const asked: string[] = [];
  let keys: SigningKeys = { current: keyNamed('one') };
  const deps: AccessDeps = {
    table: memoryTable(),
    clock,
    random: seededRandom(),
    tenant: 'hs',
    keys: async () => keys,
    principalOf: (user) => `person of ${user}`,
    origins: [ORIGIN],
    servers: ['hs', 'other.example:8448'],
    userinfo: async (server, token) => {
      asked.push(`${server} ${token}`);
      return tokens.get(`${server} ${token}`) ?? { kind: 'refused' };
    },
    ticketInQuery: false,
    ...more,
  };
  let made = 0;
  const openid = (user: string, server = 'hs') => {
    const access_token = `token${made++}`;
    tokens.set(`${server} ${access_token}`, { kind: 'sub', sub: user });
    return { access_token, token_type: 'Bearer', matrix_server_name: server, expires_in: 3_600 };
  };
  const open = (given: unknown, code?: unknown, address = `10.0.0.${made}`) =>
    openSession(deps, { openid: given, code, address });
  return {
    deps,
    clock,
    tokens,
    asked,
    openid,
    open,
    rotate: (next: SigningKeys) => {
      keys = next;
    },
    async sessionOf(user: string): Promise<string> {
      const opened = await open(openid(user));
      if (opened.kind !== 'session') throw new Error(JSON.stringify(opened));
      return opened.session;
    },
  };
}
