/** Replies as they go over the wire: JSON, bytes, Matrix errors, and what a gateway in front would say. */
import type { ServerResponse } from 'node:http';
import type { Reply } from './routes/route.ts';
import { internal, MatrixFault } from './world/fault.ts';

/** Anything but a `MatrixFault` is an internal error, without its reason. */
export function errorReply(error: unknown): Reply {
  const { status, errcode, error: text, retryAfterMs } = error instanceof MatrixFault ? error : internal();
  if (retryAfterMs === undefined) return { status, json: { errcode, error: text } };
  return {
    status,
    json: { errcode, error: text, retry_after_ms: retryAfterMs },
    headers: { 'retry-after': `${Math.ceil(retryAfterMs / 1_000)}` },
  };
}

/** A call refused by a fault; 502 to 504 are a gateway's words, not JSON. */
export function refusalReply(status: number, retryAfterMs?: number): Reply {
  if (status >= 502 && status <= 504) return gatewayReply(status);
  if (status === 429)
    return errorReply(new MatrixFault(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', retryAfterMs));
  const errcode = status === 403 ? 'M_FORBIDDEN' : 'M_UNKNOWN';
  return errorReply(new MatrixFault(status, errcode, 'Refused by a fault', retryAfterMs));
}

export const gatewayReply = (status: number): Reply => ({
  status,
  bytes: Buffer.from(`<html><body>${status}</body></html>`),
  headers: { 'content-type': 'text/html' },
});

export function write(response: ServerResponse, reply: Reply): void {
  const bytes = 'json' in reply ? Buffer.from(JSON.stringify(reply.json)) : reply.bytes;
  const type = 'json' in reply ? { 'content-type': 'application/json' } : {};
  response.writeHead(reply.status ?? 200, {
    ...type,
    ...reply.headers,
    'content-length': bytes.byteLength,
  });
  response.end(bytes);
}

/** Pages of every origin may call a homeserver (https://spec.matrix.org/v1.16/client-server-api/#web-browser-clients). */
export function allowOrigins(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-allow-methods', 'GET, HEAD, POST, PUT, DELETE, OPTIONS');
  response.setHeader('access-control-allow-headers', 'X-Requested-With, Content-Type, Authorization');
}
