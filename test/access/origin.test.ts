/** Which pages may call: exact origins, in one place. */
import { describe, expect, it } from 'vitest';
import { cors, originFaults, preflight } from '../../functions/access/origin.ts';

const ORIGINS = ['https://chat.example', 'http://localhost:5173'];

describe('an origin', () => {
  it('of the list is told so, exactly', () => {
    expect(cors(ORIGINS, ORIGINS[0])).toEqual({
      'access-control-allow-origin': 'https://chat.example',
      'access-control-expose-headers': 'x-turnpike-turn, x-vercel-ai-ui-message-stream, retry-after',
      vary: 'Origin',
    });
    expect(cors(ORIGINS, undefined)).toBe('none');
  });

  it.each([
    'null',
    '',
    '*',
    'https://chat.example.evil.example',
    'https://evilchat.example',
    'http://chat.example',
    'https://chat.example:8443',
    'https://chat.example/',
    'HTTPS://CHAT.EXAMPLE',
    'http://localhost:51730',
    'chat.example',
  ])('like %j is foreign', (origin) => {
    expect(cors(ORIGINS, origin)).toBe('foreign');
  });

  it('that asks first is told the methods and headers there are', () => {
    expect(preflight).toEqual({
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers':
        'authorization, content-type, last-event-id, idempotency-key, traceparent',
      'access-control-max-age': '3600',
    });
  });
});

describe('a list of origins', () => {
  it('is taken as browsers spell them', () => {
    expect(originFaults(ORIGINS)).toEqual([]);
    expect(originFaults([])).toEqual([]);
  });

  it.each([
    '*',
    'null',
    'chat.example',
    'https://chat.example/',
    'https://CHAT.example',
    'https://a.example:443',
    'ftp://a.example',
    '',
  ])('is refused with %j in it', (origin) => {
    expect(originFaults([...ORIGINS, origin])).toHaveLength(1);
  });
});
