import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Env, gateNumbers, gateOptions, LIMITS } from '../../functions/gate/options.ts';

type Case = { fn: string; args: [Env]; out: object };

const recorded = (
  JSON.parse(readFileSync(new URL('../parity/gate-pure.json', import.meta.url), 'utf8')) as Case[]
).filter(({ fn }) => fn === 'groupChatOptionsFromEnv');

describe('policy and numbers, as recorded', () => {
  it.each(recorded.map(({ args: [env], out }) => ({ env, out })))('$env', ({ env, out }) => {
    expect(gateNumbers(env)).toEqual(out);
  });

  it('has all the recorded cases', () => {
    expect(recorded).toHaveLength(16);
  });
});

describe('who', () => {
  const of = (env: Env) => gateOptions(env, 'hs');

  it('are globs over whole user ids, apart by commas or blanks', () => {
    const { isPeer } = of({ MATRIX_PEERS: '@bot-?:hs, @*:bots.example\n@exact:hs' });
    const asked = ['@bot-1:hs', '@bot-12:hs', '@any:bots.example', '@exact:hs', '@exact:hs2', '@EXACT:hs'];
    expect(asked.filter(isPeer)).toEqual(['@bot-1:hs', '@any:bots.example', '@exact:hs']);
  });

  it('are nobody where a list is not set, but that everybody is allowed', () => {
    const options = of({});
    const { isPeer, isPerson, isService, isAllowed, isCaptured } = options;
    expect([isPeer, isPerson, isService].map((is) => is('@ana:hs'))).toEqual([false, false, false]);
    expect([isAllowed, isCaptured].map((is) => is('@ana:elsewhere'))).toEqual([true, true]);
    expect(of({ MATRIX_ALLOWED_USERS: ' , ' }).isAllowed('@ana:hs')).toBe(true);
  });

  it('are invited by our own server, unless a list says otherwise', () => {
    expect(['@ana:hs', '@ana:hs:8448', '@ana:other'].map(of({}).mayInvite)).toEqual([true, false, false]);
    const { mayInvite } = of({ MATRIX_ALLOWED_INVITERS: '@*:other' });
    expect(['@ana:hs', '@ana:other'].map(mayInvite)).toEqual([false, true]);
  });

  it('are captured, but for MATRIX_UNCAPTURED, and outsiders where only the allowed are', () => {
    const everybody = of({ MATRIX_ALLOWED_USERS: '@ana:hs', MATRIX_UNCAPTURED: '@shy:hs' });
    expect(['@ana:hs', '@ben:hs', '@shy:hs'].map(everybody.isCaptured)).toEqual([true, true, false]);
    const allowed = of({
      MATRIX_ALLOWED_USERS: '@ana:hs @shy:hs',
      MATRIX_UNCAPTURED: '@shy:hs',
      MATRIX_CAPTURE: 'allowed',
    });
    expect(['@ana:hs', '@ben:hs', '@shy:hs'].map(allowed.isCaptured)).toEqual([true, false, false]);
  });
});

it('limits are 20 turns of a sender, 60 of a room, 5 of its peers, 100 unfinished', () => {
  expect(LIMITS).toEqual({ senderTurns: 20, roomTurns: 60, peerTurns: 5, unfinished: 100 });
});
