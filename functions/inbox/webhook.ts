/**
 * The webhook: the application service API as a homeserver calls it (Matrix spec v1.19), from the request to the answer.
 * Homeservers repeat whatever is not 200 with a JSON body, for ever and one transaction at a time, so nothing but a
 * wrong token, a body that is no transaction, or a store that can't be reached gets another answer.
 */
import { isUserId, type Namespace } from '../matrix/ids.ts';
import { Unavailable } from '../runtime/table.ts';
import { type HsTokens, prove } from './tokens.ts';

export type WebhookRequest = {
  readonly method: string;
  /** Percent-encoded or decoded: front doors differ. */
  readonly path: string;
  /** Without the question mark. Never logged: old servers append the token. */
  readonly query: string;
  readonly authorization: string | undefined;
  /** Read only once the token was good. */
  body(): string;
};

export type WebhookAnswer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> };

export type WebhookDeps = {
  readonly namespace: Namespace;
  readonly tokens: () => Promise<HsTokens>;
  readonly now: () => number;
  /** Decides the events and everything that follows; resolves when all of it is stored. */
  readonly take: (events: readonly unknown[]) => Promise<void>;
  readonly fail: (error: unknown) => void;
};

const fault = (status: number, errcode: string, error: string): WebhookAnswer => ({
  status,
  body: { errcode, error },
});
const OK: WebhookAnswer = { status: 200, body: {} };

const UNKNOWN = fault(404, 'M_UNRECOGNIZED', 'Unrecognized request');
const NOT_FOUND = fault(404, 'M_NOT_FOUND', 'Not found');

type Route = {
  readonly method: string;
  readonly answer: (deps: WebhookDeps, rest: string, request: WebhookRequest) => Promise<WebhookAnswer>;
};

/** The same routes without their prefix: servers fall back to the old paths. */
const PREFIX = /^\/_matrix\/app\/v1(?=\/)/;

const routes: readonly (readonly [start: string, route: Route])[] = [
  ['/transactions/', { method: 'PUT', answer: (deps, _, request) => transaction(deps, request) }],
  [
    '/users/',
    {
      method: 'GET',
      answer: async ({ namespace }, id) => (isUserId(id) && namespace.isOurs(id) ? OK : NOT_FOUND),
    },
  ],
  // We make an alias before anybody can know it: one the homeserver does not know is not there.
  ['/rooms/', { method: 'GET', answer: async () => NOT_FOUND }],
  ['/thirdparty/', { method: 'GET', answer: async () => NOT_FOUND }],
  ['/ping', { method: 'POST', answer: async () => OK }],
];

export async function answerWebhook(deps: WebhookDeps, request: WebhookRequest): Promise<WebhookAnswer> {
  const path = request.path.replace(PREFIX, '');
  const found = routes.find(([start]) =>
    start.endsWith('/') ? path.startsWith(start) && path.length > start.length : path === start,
  );
  if (!found) return UNKNOWN;
  const [start, route] = found;
  try {
    const query = new URLSearchParams(request.query).get('access_token') ?? undefined;
    const proof = prove(await deps.tokens(), request.authorization, query, deps.now());
    if (proof === 'missing') return fault(401, 'M_MISSING_TOKEN', 'Missing access token');
    if (proof === 'wrong') return fault(403, 'M_FORBIDDEN', 'Bad token supplied');
    if (request.method !== route.method) return fault(405, 'M_UNRECOGNIZED', 'Unrecognized request method');
    return await route.answer(deps, decoded(path.slice(start.length)), request);
  } catch (error) {
    deps.fail(error);
    return fault(error instanceof Unavailable ? 503 : 500, 'M_UNKNOWN', 'Try again');
  }
}

async function transaction(deps: WebhookDeps, request: WebhookRequest): Promise<WebhookAnswer> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(request.body().replace(/^\uFEFF/, ''));
  } catch {
    return fault(400, 'M_NOT_JSON', 'Content not JSON');
  }
  const events = parsed && typeof parsed === 'object' ? (parsed as { events?: unknown }).events : undefined;
  if (!Array.isArray(events)) return fault(400, 'M_BAD_JSON', 'events is not an array');
  await deps.take(events);
  return OK;
}

/** Decodes at most once; what is not encoded well stands as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
