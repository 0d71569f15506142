import { text } from 'node:stream/consumers';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { send, testUrls } from './urls.ts';

const { serve } = testUrls();

const event = async (...sent: Parameters<typeof send>): Promise<LambdaFunctionURLEvent> =>
  JSON.parse(await text(await send(...sent)));

describe('the event', () => {
  it('is the payload of format 2.0', async () => {
    const url = await serve();
    const port = new URL(url).port;
    const before = Date.now();
    const got = await event(`${url}/my/path?a=1&b=2&a=%C3%A9`, {
      method: 'PUT',
      headers: {
        'X-Twice': ['one', 'two'],
        cookie: 'c=1; d=2',
        'user-agent': 'agent',
        'content-type': 'text/plain',
      },
      body: 'hellö',
    });
    expect(got).toEqual({
      version: '2.0',
      routeKey: '$default',
      rawPath: '/my/path',
      rawQueryString: 'a=1&b=2&a=%C3%A9',
      cookies: ['c=1', 'd=2'],
      headers: {
        host: `127.0.0.1:${port}`,
        'x-twice': 'one,two',
        cookie: 'c=1; d=2',
        'user-agent': 'agent',
        'content-type': 'text/plain',
        'content-length': expect.any(String),
        connection: expect.any(String),
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-port': port,
        'x-forwarded-proto': 'http',
      },
      queryStringParameters: { a: '1,é', b: '2' },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'local',
        domainName: `127.0.0.1:${port}`,
        domainPrefix: '127',
        http: {
          method: 'PUT',
          path: '/my/path',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'agent',
        },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        routeKey: '$default',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      body: 'hellö',
      isBase64Encoded: false,
    });
    expect(got.requestContext.timeEpoch).toBeGreaterThanOrEqual(before);
  });

  it('has the path undecoded, and nothing for what was not sent', async () => {
    const got = await event(`${await serve()}/_matrix/%21room%3Ax/a%2Fb//c`);
    expect(got.rawPath).toBe('/_matrix/%21room%3Ax/a%2Fb//c');
    expect(got).toMatchObject({ rawQueryString: '', isBase64Encoded: false });
    for (const name of ['body', 'cookies', 'queryStringParameters']) expect(got).not.toHaveProperty(name);
  });

  it.each([
    ['application/json; charset=utf-8', false],
    ['TEXT/html', false],
    ['application/xml', false],
    ['application/javascript', false],
    ['application/x-www-form-urlencoded', true],
    ['application/json5', true],
    ['image/png', true],
    [undefined, true],
  ])('of a body of type %s is in base64: %s', async (type, base64) => {
    const got = await event(await serve(), {
      method: 'POST',
      headers: type === undefined ? {} : { 'content-type': type },
      body: '{"a":1}',
    });
    expect(got.isBase64Encoded).toBe(base64);
    expect(Buffer.from(got.body!, base64 ? 'base64' : 'utf8').toString()).toBe('{"a":1}');
  });
});
