/**
 * What a route of the client-server API is: a method, a path with `:named` segments, the name its faults go by, and
 * a function from a request to a reply. Routes know nothing of HTTP but this.
 */
import type { z } from 'zod';
import type { Reader } from '../world/client-event.ts';
import { invalid } from '../world/fault.ts';

/** The kinds of calls that faults can be set for. */
export const calls = [
  'versions',
  'register',
  'whoami',
  'profile',
  'setProfile',
  'openId',
  'createRoom',
  'upgrade',
  'join',
  'leave',
  'invite',
  'moderate',
  'resolveAlias',
  'setAlias',
  'send',
  'redact',
  'setState',
  'state',
  'event',
  'messages',
  'members',
  'joinedMembers',
  'joinedRooms',
  'typing',
  'receipt',
  'sync',
  'upload',
  'download',
  'ping',
  'dev',
] as const;
export type Call = (typeof calls)[number];

/** Who calls. `owner` is whose space his client transaction ids are in: the token's, or the whole service's. */
export type Requester = Reader & { readonly isService: boolean; readonly device: string | undefined };

export type Request = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  /** The token as given, in the header or the query. */
  readonly token: string | undefined;
  /** Aborts when the caller is gone or the server stops. */
  readonly signal: AbortSignal;
};
export type OwnRequest = Request & { readonly requester: Requester };

export type Reply = ({ readonly json: unknown } | { readonly bytes: Uint8Array }) & {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';
type Answer<R> = (request: R) => Reply | Promise<Reply>;

export type Route = {
  readonly method: Method;
  readonly path: string;
  readonly call: Call;
} & (
  | { readonly who: 'anyone'; readonly answer: Answer<Request> }
  | { readonly who: 'user'; readonly answer: Answer<OwnRequest> }
);

/** For everybody, with or without a token. */
export const open = (method: Method, path: string, call: Call, answer: Answer<Request>): Route => ({
  method,
  path,
  call,
  who: 'anyone',
  answer,
});

/** For users and the service; anybody else gets 401. */
export const own = (method: Method, path: string, call: Call, answer: Answer<OwnRequest>): Route => ({
  method,
  path,
  call,
  who: 'user',
  answer,
});

/** The request's JSON object, of the given shape; an empty body counts as `{}` where the shape allows it. */
export function bodyOf<T extends z.ZodType>(request: Request, shape: T): z.output<T> {
  const text = Buffer.from(request.bytes).toString();
  return shapedAs(shape, text === '' ? {} : parseJson(text, 'Content not JSON.'));
}

/** A query parameter that holds a JSON object. */
export function jsonQuery<T extends z.ZodType>(request: Request, name: string, shape: T) {
  const text = request.query.get(name);
  if (text === null) return undefined;
  return shapedAs(shape, parseJson(text, `Query parameter ${name} must be a valid JSON object`));
}

/** A query parameter that holds a whole number from 0 on. */
export function numberQuery(request: Request, name: string): number | undefined {
  const text = request.query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,12}$/.test(text))
    throw invalid(`Query parameter ${name} must be a positive integer.`, 'M_INVALID_PARAM');
  return Number(text);
}

function parseJson(text: string, otherwise: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(otherwise, 'M_NOT_JSON');
  }
}

function shapedAs<T extends z.ZodType>(shape: T, value: unknown): z.output<T> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('Content must be a JSON object.', 'M_BAD_JSON');
  const result = shape.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue!.path.join('.');
  if (!(issue!.path[0]! in value)) throw invalid(`Missing params: ['${name}']`, 'M_MISSING_PARAM');
  throw invalid(`${name}: ${issue!.message}`, 'M_BAD_JSON');
}
