/**
 * A request from its first byte to an answer: the origin before any work, then the route, then its handler. Whatever is
 * refused becomes JSON with a public code; what nobody expected is a 500 that says nothing.
 */
import { cors, preflight } from '../access/origin.ts';
import { MAX_NAME, optionalText, readJson, textField, wordField } from './body.ts';
import { known, personOf } from './caller.ts';
import { chat, chatStream } from './chat.ts';
import { consent, session, stop, ticket } from './control.ts';
import { cursorOf, followTurn } from './follow.ts';
import { formatOf } from './formats.ts';
import { badRequest, HttpError } from './http-error.ts';
import type { Answer, StreamDeps, StreamRequest } from './ports.ts';
import { startTurn } from './start.ts';
import { forget, json, runningTurns, turnStatus } from './turn.ts';

/** `name` is the part of the path that the route leaves open, decoded. */
type Handler = (deps: StreamDeps, request: StreamRequest, name: string) => Promise<Answer>;
type Route = { readonly path: RegExp; readonly methods: Readonly<Record<string, Handler>> };

const routes: readonly Route[] = [
  { path: /^\/session$/, methods: { POST: session } },
  { path: /^\/turns$/, methods: { POST: start, GET: runningTurns } },
  { path: /^\/turns\/([^/]+)$/, methods: { GET: turnStatus, DELETE: forget } },
  { path: /^\/turns\/([^/]+)\/events$/, methods: { GET: events } },
  { path: /^\/turns\/([^/]+)\/stop$/, methods: { POST: stop } },
  { path: /^\/turns\/([^/]+)\/consent$/, methods: { POST: consent } },
  { path: /^\/turns\/([^/]+)\/ticket$/, methods: { POST: ticket } },
  { path: /^\/chat$/, methods: { POST: chat } },
  { path: /^\/chat\/([^/]+)\/stream$/, methods: { GET: chatStream } },
];

const MAX_TEXT = 64 * 1024;

export async function answer(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  const { origins } = deps.access;
  const { origin } = request.headers;
  const allowed = cors(origins, origin);
  if (allowed === 'foreign') return refused(new HttpError('forbidden', 'not from this origin'));
  if (request.method === 'OPTIONS')
    return { kind: 'empty', status: 204, headers: allowed === 'none' ? {} : { ...allowed, ...preflight } };
  const answered = await routed(deps, request).catch((error: unknown) => {
    if (error instanceof HttpError) return refused(error);
    deps.fail(error);
    return refused(new HttpError('internal', 'something failed here'));
  });
  return allowed === 'none' ? answered : { ...answered, headers: { ...answered.headers, ...allowed } };
}

const refused = (error: HttpError): Answer => ({
  ...json(error.body, error.status),
  headers: error.headers,
});

async function routed(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  for (const { path, methods } of routes) {
    const match = path.exec(request.path);
    if (!match) continue;
    if (!Object.hasOwn(methods, request.method))
      throw new HttpError('method_not_allowed', 'no such method here', {
        headers: { allow: Object.keys(methods).join(', ') },
      });
    return methods[request.method]!(deps, request, decoded(match[1] ?? ''));
  }
  throw new HttpError('not_found', 'there is nothing here');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw badRequest('the path is not well encoded');
  }
}

async function start(deps: StreamDeps, request: StreamRequest): Promise<Answer> {
  const caller = await personOf(deps, request);
  const body = readJson(request);
  const order = {
    conversation: textField(body, 'conversation', MAX_NAME),
    text: textField(body, 'text', MAX_TEXT),
    key: optionalText(body, 'idempotencyKey', MAX_NAME) ?? request.headers['idempotency-key'],
    whenBusy: wordField(body, 'whenBusy', ['reject', 'enqueue', 'interrupt'], 'reject'),
  };
  if ((order.key?.length ?? 0) > MAX_NAME) throw badRequest('the idempotency key is too long');
  return startTurn(deps, request, caller, order, formatOf(request));
}

async function events(deps: StreamDeps, request: StreamRequest, turn: string): Promise<Answer> {
  const after = cursorOf(request);
  const format = formatOf(request);
  await known(deps, request, turn, 'follow');
  return followTurn(deps, request, turn, format, after);
}
