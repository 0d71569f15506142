/**
 * Which pages may call us, in one place: exact origins, never `*` and never `null`. A foreign one is refused before any
 * work; a request without an origin comes from no page. (Fetch standard, CORS protocol:
 * https://fetch.spec.whatwg.org/#http-cors-protocol.)
 */

type Headers = Readonly<Record<string, string>>;

const METHODS = 'GET, POST, DELETE';
const ALLOWED = 'authorization, content-type, last-event-id, idempotency-key, traceparent';
const EXPOSED = 'x-turnpike-turn, x-vercel-ai-ui-message-stream, retry-after';
const MAX_AGE_S = 3_600;

/** A list that cannot be one of origins, each fault in words. */
export function originFaults(origins: readonly string[]): string[] {
  return origins.flatMap((origin) => {
    const url = URL.canParse(origin) ? new URL(origin) : undefined;
    const isOrigin = url?.origin === origin && (url.protocol === 'https:' || url.protocol === 'http:');
    return isOrigin ? [] : [`"${origin}" is no origin: scheme, host and port, as a browser spells it`];
  });
}

/** The headers of an answer; `none` where no page asks, `foreign` where another page does. */
export function cors(origins: readonly string[], origin: string | undefined): 'none' | 'foreign' | Headers {
  if (origin === undefined) return 'none';
  if (!origins.includes(origin)) return 'foreign';
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    vary: 'Origin',
  };
}

/** What a browser that asks first is told besides. */
export const preflight: Headers = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED,
  'access-control-max-age': String(MAX_AGE_S),
};
