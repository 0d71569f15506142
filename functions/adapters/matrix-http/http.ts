/**
 * One request to a homeserver: one attempt, within a time limit that covers the whole answer, of which no more is read
 * than allowed; no redirect is followed. The token travels in a header only. Whatever goes wrong is a `MatrixError`
 * that holds no token, address or body.
 */
import { MatrixError } from '../../matrix/client.ts';
import { at, isRecord, type Json, textAt } from '../../matrix/json.ts';
import { parsed, textOf } from './body.ts';

export type MatrixHttpOptions = {
  /** The homeserver's base URL; it may have a path. */
  readonly homeserver: string;
  /** The as_token, or where to get it: it may be rotated while this runs. */
  readonly token: string | (() => Promise<string>);
  readonly fetch?: typeof fetch;
  /** For what is read or forgotten soon; 10 s if absent. */
  readonly readTimeoutMs?: number;
  /** For what makes an event, a user or a room; 25 s if absent. */
  readonly sendTimeoutMs?: number;
  /** Wall clock, ms, for a `Retry-After` that is a date. */
  readonly now?: () => number;
};

export type Request<T> = {
  /** The call's name in an error. */
  readonly call: string;
  readonly method: 'GET' | 'PUT' | 'POST';
  /** What is below `/_matrix/client`, not yet percent-encoded. */
  readonly path: readonly string[];
  readonly query?: URLSearchParams;
  readonly body?: object;
  /** It makes an event, a user or a room. */
  readonly slow?: boolean;
  readonly signal?: AbortSignal | undefined;
  readonly mayLeave?: (() => boolean) | undefined;
  /** What the answer says; undefined if it cannot be read. */
  read(answer: Json): T | undefined;
  /** What a longer answer than {@link maxBytes} means; unreadable if absent. */
  readonly tooLong?: T;
  readonly maxBytes?: number;
};

export type Ask = <T>(request: Request<T>) => Promise<T>;

const MAX_BYTES = 1_000_000;
const MAX_ERROR_BYTES = 64_000;

export function matrixHttp(options: MatrixHttpOptions): Ask {
  const { token, fetch: send = fetch, readTimeoutMs = 10_000, sendTimeoutMs = 25_000 } = options;
  const { now = Date.now } = options;
  const base = options.homeserver.replace(/\/+$/, '');

  return async <T>(request: Request<T>): Promise<T> => {
    const { call, method, path, query, body, slow, signal, mayLeave, maxBytes = MAX_BYTES } = request;
    const unreachable = (reason: string, status?: number) =>
      new MatrixError(call, { kind: 'unreachable', reason, ...(status !== undefined && { status }) });
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), slow ? sendTimeoutMs : readTimeoutMs);
    try {
      const bearer = typeof token === 'string' ? token : await token();
      // The last thing before the request leaves: fetching a token may have taken its time.
      if (mayLeave?.() === false) throw new MatrixError(call, { kind: 'held' });
      const response = await send(
        `${base}/_matrix/client${pathOf(call, path)}${query?.size ? `?${query}` : ''}`,
        {
          method,
          headers: {
            authorization: `Bearer ${bearer}`,
            ...(body && { 'content-type': 'application/json' }),
          },
          ...(body && { body: JSON.stringify(body) }),
          redirect: 'manual',
          signal: signal ? AbortSignal.any([timeout.signal, signal]) : timeout.signal,
        },
      );
      if (!response.ok) throw faultOf(call, response, await textOf(response, MAX_ERROR_BYTES), now());
      const text = await textOf(response, maxBytes);
      if (text === undefined && request.tooLong !== undefined) return request.tooLong;
      const answer = parsed(text);
      const said = isRecord(answer) ? request.read(answer) : undefined;
      if (said === undefined) throw unreachable('unreadable answer', response.status);
      return said;
    } catch (error) {
      if (error instanceof MatrixError) throw error;
      if (timeout.signal.aborted) throw unreachable('timed out');
      throw unreachable(signal?.aborted ? 'given up' : codeOf(error));
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Refuses ids that would lead to another path; no server has such a one, but anybody can write it into a message. */
function pathOf(call: string, segments: readonly string[]): string {
  if (segments.some((segment) => ['', '.', '..'].includes(segment)))
    throw new MatrixError(call, { kind: 'refused', reason: 'odd id' });
  return segments.map((segment) => `/${encodeURIComponent(segment.toWellFormed())}`).join('');
}

/**
 * A refusal is the homeserver's own only with an errcode, as each of its errors has one: a page of some proxy before it
 * is an unreadable answer. 408 is a time-out that a proxy tells of.
 */
function faultOf(call: string, response: Response, body: string | undefined, now: number): MatrixError {
  const { status } = response;
  const answer = parsed(body);
  const errcode = /^[A-Za-z0-9_.]{1,100}$/.exec(textAt(answer, 'errcode') ?? '')?.[0];
  const retryAfterMs = headerDelay(response.headers.get('retry-after'), now) ?? delay(answer);
  const pinged = at(answer, 'status');
  const final = status >= 400 && status < 500 && status !== 408 && errcode !== undefined;
  return new MatrixError(call, {
    kind: status === 429 ? 'limited' : final ? 'refused' : 'unreachable',
    status,
    ...(errcode !== undefined && { errcode }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(errcode === 'M_BAD_STATUS' && typeof pinged === 'number' && { pinged }),
  });
}

/** RFC 9110, 10.2.3: seconds, or a date. In ms. */
function headerDelay(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const date = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function delay(answer: unknown): number | undefined {
  const ms = at(answer, 'retry_after_ms');
  return typeof ms === 'number' && ms >= 0 && Number.isFinite(ms) ? ms : undefined;
}

/** The code of a broken connection (`ECONNREFUSED`): the only part of such an error that surely holds no address. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && isRecord(error.cause) ? error.cause.code : undefined;
  return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'no answer';
}
