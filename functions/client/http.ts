/** Requests to the stream function, as the person whose session it is. A refused session is asked for once more. */
import { TurnpikeError } from './errors.ts';
import type { Platform } from './platform.ts';

export type Request = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the base URL. */
  readonly path: string;
  readonly body?: object;
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when it leaves: how long its token takes is nobody's fault. */
  readonly sent?: () => void;
};

export type Http = {
  /** Any answer but a 401. Rejects as `fetch` does when there is none. */
  send(base: string, request: Request): Promise<Response>;
  /** The answer as JSON; a {@link TurnpikeError} for any that is not good. */
  json<T>(base: string, request: Request): Promise<T>;
};

/** The session, or where to get one that is good now; `refused` is one that no longer is. */
export type Token = string | ((refused?: string) => string | Promise<string>);

export function createHttp({ fetch: request }: Pick<Platform, 'fetch'>, token: Token): Http {
  const once = (base: string, { method, path, body, accept, signal, sent }: Request, session: string) => {
    sent?.();
    return request(base.replace(/\/+$/, '') + path, {
      method,
      headers: {
        ...(session && { authorization: `Bearer ${session}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...(accept !== undefined && { accept }),
      },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  };
  const send: Http['send'] = async (base, request) => {
    if (typeof token === 'string') return once(base, request, token);
    const session = await token();
    const response = await once(base, request, session);
    if (response.status !== 401) return response;
    drop(response);
    return once(base, request, await token(session));
  };
  return {
    send,
    async json<T>(base: string, request: Request): Promise<T> {
      const response = await send(base, request);
      if (!response.ok) throw await errorOf(response);
      return (await response.json()) as T;
    },
  };
}

export async function errorOf(response: Response): Promise<TurnpikeError> {
  const { status } = response;
  const answer = (await response.json().catch(() => undefined)) as
    | { error?: { code?: string; message?: string; turn?: string } }
    | undefined;
  const { code = 'failed', message = `the answer was ${status}`, turn } = answer?.error ?? {};
  return new TurnpikeError(status, code, message, turn);
}

/** Lets go of a body. Not waited for: one that somebody copied is not let go before its copies. */
export function drop({ body }: Pick<Response, 'body'>): void {
  body?.cancel().catch(() => undefined);
}
