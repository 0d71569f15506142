/** Names of things: equal inputs give equal ids for ever, and no field can imitate a boundary. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Conversation,
  conversationId,
  hashOf,
  httpTurnId,
  matrixTurnId,
  millis,
  orderOf,
} from '../../functions/turns/ids.ts';

describe('a turn’s id', () => {
  it('is the first 16 bytes of a SHA-256 over its fields, in base64url', () => {
    const whole = createHash('sha256').update('matrix\0!room:hs\0$event').digest();
    expect(matrixTurnId('!room:hs', '$event')).toBe(whole.subarray(0, 16).toString('base64url'));
    expect(matrixTurnId('!room:hs', '$event')).toMatch(/^[\w-]{22}$/);
    expect(httpTurnId('hs', '@ana:hs', 'c', 'key')).toBe(hashOf('http', 'hs', '@ana:hs', 'c', 'key'));
  });

  it('differs where any field differs', () => {
    const field = fc.string().filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.tuple(field, field, field, field), fc.tuple(field, field, field, field), (a, b) => {
        expect(httpTurnId(...a) === httpTurnId(...b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { seed: 1 },
    );
  });
});

describe('a conversation', () => {
  const room = '!room:hs';
  const all: Conversation[] = [
    { kind: 'group', room, sender: '@ana:hs' },
    { kind: 'group', room, sender: '@ben:hs' },
    { kind: 'group', room, thread: '$root' },
    { kind: 'group', room, thread: '@ana:hs' },
    { kind: 'direct', room, sender: '@ana:hs' },
    { kind: 'direct', room, sender: '@ana:hs', thread: '$root' },
    { kind: 'direct', room: '!other:hs', sender: '@ana:hs' },
    { kind: 'http', tenant: 'hs', principal: '@ana:hs', name: 'a' },
    { kind: 'http', tenant: 'hs', principal: '@ben:hs', name: 'a' },
    { kind: 'http', tenant: 'other', principal: '@ana:hs', name: 'a' },
    { kind: 'http', tenant: 'hs', principal: '@ana:hs', name: 'b' },
  ];

  it('is one for each who and where', () => {
    expect(new Set(all.map(conversationId)).size).toBe(all.length);
  });

  it('in a thread of a group is everybody’s', () => {
    const thread = { kind: 'group', room, thread: '$root' } as const;
    expect(conversationId({ ...thread, sender: '@ana:hs' } as Conversation)).toBe(conversationId(thread));
  });
});

describe('an order', () => {
  it('is the ms in 13 digits and the index in 3', () => {
    expect(orderOf(1_800_000_000_000, 7)).toBe('1800000000000007');
    expect(orderOf(5.9, 1_234)).toBe('0000000000005999');
    expect([millis(-5), millis(1)]).toEqual(['0000000000000', '0000000000001']);
  });

  it('sorts as the messages came', () => {
    const place = fc.tuple(fc.nat(9_999_999_999_999), fc.nat(999));
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(orderOf(...a) < orderOf(...b)).toBe(a[0] < b[0] || (a[0] === b[0] && a[1] < b[1]));
      }),
      { seed: 1 },
    );
  });
});
