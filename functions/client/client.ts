/**
 * `turnpike/client`: starts, follows, stops and forgets turns over the stream function. Has no dependencies and runs in
 * browsers, Node and workers. A turn that is followed resumes by itself; what it shows is what the log says.
 */
import { createHttp, type Token } from './http.ts';
import { platform as here, type Platform } from './platform.ts';
import { followTurn, type Turn } from './turn.ts';
import type { Choice, Format, RunningTurn, TurnState, WhenBusy } from './wire.ts';

export { TurnpikeError } from './errors.ts';
export type { Token } from './http.ts';
export type { Platform } from './platform.ts';
export type { Ended, Turn } from './turn.ts';
export type * from './wire.ts';

export type ClientOptions = {
  /** The base URL of the stream function. */
  readonly url: string;
  /** Another one for starts and stops, so that they don't wait behind followers. */
  readonly control?: string;
  readonly token: Token;
  readonly format?: Format;
  readonly platform?: Partial<Platform>;
};

export type StartOptions = {
  readonly conversation: string;
  readonly text: string;
  /** The same key and text again follow the first turn; one is made if it is absent. */
  readonly idempotencyKey?: string;
  readonly whenBusy?: WhenBusy;
  /** Ends the following, not the turn. */
  readonly signal?: AbortSignal;
};

export type Client = ReturnType<typeof createClient>;

export function createClient({ url, control = url, token, format = 'ndjson', ...given }: ClientOptions) {
  const platform = { ...here, ...given.platform };
  const http = createHttp(platform, token);
  const following = { platform, http, url, control, format };
  const at = (turn: string, path = '') => `/turns/${encodeURIComponent(turn)}${path}`;

  return {
    start: ({ signal, idempotencyKey = platform.key(), ...start }: StartOptions): Turn =>
      followTurn({ ...following, signal }, { ...start, idempotencyKey }),
    /** From the beginning, or behind the cursor `after`. */
    follow: (turn: string, { after, signal }: { after?: string; signal?: AbortSignal } = {}): Turn =>
      followTurn({ ...following, signal }, { turn, ...(after !== undefined && { after }) }),
    /** The turns of a conversation that can be followed: one, or none. */
    async list(conversation: string): Promise<readonly RunningTurn[]> {
      const query = new URLSearchParams({ conversation, status: 'running' });
      const { turns } = await http.json<{ turns: RunningTurn[] }>(url, {
        method: 'GET',
        path: `/turns?${query}`,
      });
      return turns;
    },
    status: (turn: string) => http.json<TurnState>(url, { method: 'GET', path: at(turn) }),
    /** Repeatable. */
    stop: (turn: string) =>
      http.json<{ status: string }>(control, { method: 'POST', path: at(turn, '/stop'), body: {} }),
    /** `seq` is that of the `waiting` line; the first answer wins, and is returned. */
    consent: (turn: string, answer: { choice: Choice; seq: number }) =>
      http.json<{ choice: Choice }>(url, { method: 'POST', path: at(turn, '/consent'), body: answer }),
    async forget(turn: string): Promise<void> {
      await http.json(url, { method: 'DELETE', path: at(turn) });
    },
    ticket: (turn: string, scope: 'follow' | 'stop') =>
      http.json<{ ticket: string; expires: number }>(url, {
        method: 'POST',
        path: at(turn, '/ticket'),
        body: { scope },
      }),
  };
}

/** A session for an OpenID token of the person's homeserver; `confirm`: a code was sent to their room with the bot. */
export async function openSession(
  url: string,
  proof: { readonly openid: unknown; readonly code?: string },
  { fetch: send }: Pick<Platform, 'fetch'> = here,
): Promise<
  | { readonly session: string; readonly principal: string; readonly user: string; readonly expires: number }
  | { readonly confirm: 'room' }
> {
  const http = createHttp({ fetch: send }, '');
  return http.json(url, { method: 'POST', path: '/session', body: proof });
}
