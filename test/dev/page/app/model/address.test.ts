/** The page's address: what is written is read again, and what can't be is left out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Address, hashOf, parseAddress } from '../../../../../bin/dev/page/app/model/address.ts';

const name = fc.string({ minLength: 1 }).map((text) => text.toWellFormed());
const place = fc.oneof(
  fc.record({ kind: fc.constant('room' as const), id: name }),
  fc.record({ kind: fc.constant('chat' as const), name }),
);

describe('an address', () => {
  it('is read as it was written', () => {
    const whole = fc.record({ as: name, place, turn: name });
    fc.assert(
      fc.property(whole, (address) => {
        expect(parseAddress(hashOf(address))).toEqual(address);
      }),
    );
  });

  it('may stop anywhere', () => {
    const begun: Address[] = [{}, { as: 'alice' }, { as: 'alice', place: { kind: 'chat', name: 'one' } }];
    for (const address of begun) expect(parseAddress(hashOf(address))).toEqual(address);
  });

  it('names no place without a person, and no turn without a place', () => {
    expect(parseAddress('#room=!a&turn=b')).toEqual({});
    expect(parseAddress('#as=alice&turn=b')).toEqual({ as: 'alice' });
    expect(parseAddress('#as=&chat=one')).toEqual({});
  });
});
