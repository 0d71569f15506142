/**
 * A request as a Function URL hands it to its function: payload format 2.0.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html#urls-request-payload. Told apart from AWS by
 * `requestContext.domainName`, which has the port here, and `x-forwarded-proto`, which is `http`.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LambdaFunctionURLEvent } from 'aws-lambda';

/** Every other type, a form and a missing one too, arrives in base64 (measured on AWS by others: ministack#766). */
const textTypes = /^(text\/[^;]*|application\/(json|javascript|xml))\s*(;|$)/i;

/** `path` is what stays of the request's URL, undecoded, once the path that the function is mounted on is taken off. */
export function urlEvent(request: IncomingMessage, path: string, body: Buffer): LambdaFunctionURLEvent {
  const question = path.indexOf('?');
  const rawPath = question < 0 ? path : path.slice(0, question);
  const rawQueryString = question < 0 ? '' : path.slice(question + 1);
  const sourceIp = request.socket.remoteAddress ?? '';
  const { host = '', cookie } = request.headers;
  const isText = textTypes.test(request.headers['content-type'] ?? '');
  const now = new Date();
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split(/;\s*/) }),
    headers: {
      ...joined(Object.entries(request.headersDistinct)),
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': String(request.socket.localPort),
      'x-forwarded-proto': 'http',
    },
    ...(rawQueryString && { queryStringParameters: parameters(rawQueryString) }),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: host,
      domainPrefix: host.split('.')[0]!,
      http: {
        method: request.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: request.headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Names that come several times have their values joined by commas. */
function joined(entries: Iterable<[string, string[] | undefined]>): Record<string, string> {
  return Object.fromEntries([...entries].map(([name, values]) => [name, (values ?? []).join(',')]));
}

function parameters(query: string): Record<string, string> {
  const found = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query))
    found.set(name, [...(found.get(name) ?? []), value]);
  return joined(found);
}

/** 10/Apr/2022:13:30:05 +0000 */
function commonLogTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
