import { describe, expect, it } from 'vitest';
import { readEnv } from '../../functions/adapters/lambda/env.ts';
import { matchesInTime } from '../../functions/adapters/lambda/pattern.ts';
import { BadPattern, principalPattern, principals } from '../../functions/gate/principal.ts';

const pattern = principalPattern('@did-(?<principal>[a-z]+)(-(?<device>\\d+))?:hs');

describe('a principal', () => {
  it('is the full Matrix id without a pattern', () => {
    expect(principals(undefined, ['hs'])('@did-ana:hs')).toBe('@did-ana:hs');
  });

  it('is what the pattern names, for users of the named servers only', () => {
    const of = principals(pattern, ['hs']);
    expect(of('@did-ana:hs')).toBe('id:ana');
    expect(of('@did-ana-2:hs')).toBe('id:ana');
    const elsewhere = principals(principalPattern('@did-(?<principal>[a-z]+):.*'), ['hs']);
    expect(elsewhere('@did-ana:evil.example')).toBe('@did-ana:evil.example');
    expect(elsewhere('@did-ana:hs:8448')).toBe('@did-ana:hs:8448');
  });

  it('is the full id where the anchored pattern does not match the whole of it, or names nothing', () => {
    const of = principals(pattern, ['hs']);
    expect(of('@x-did-ana:hs')).toBe('@x-did-ana:hs');
    expect(principals(principalPattern('@a|@did-(?<principal>[a-z]*):hs'), ['hs'])('@did-:hs')).toBe(
      '@did-:hs',
    );
  });

  it('that was mapped never equals one that was not', () => {
    const of = principals(principalPattern('(?<principal>.*)'), ['hs']);
    expect(of('@ana:hs')).toBe('id:@ana:hs');
  });
});

describe('a pattern', () => {
  it.each(['(', '@(?<principal>[a-z]+', '@ana:hs', '@(?<name>.+):hs'])('is refused: %s', (text) => {
    expect(() => principalPattern(text)).toThrow(BadPattern);
  });

  it('that takes too long is found out at the start', () => {
    expect(matchesInTime(pattern)).toBe(true);
    expect(matchesInTime(principalPattern('@(?<principal>(a+)+):hs'))).toBe(false);
  });

  it('of the environment is for our own server’s users unless others are named', () => {
    const env = {
      TURNS_TABLE: 't',
      GATE_TABLE: 'g',
      MEMORY_TABLE: 'm',
      TURNS_QUEUE_URL: 'http://127.0.0.1/q.fifo',
      WATCHDOG_QUEUE_URL: 'http://127.0.0.1/w',
      SECRET_ARN: 'arn',
      HOMESERVER_URL: 'http://127.0.0.1',
      BOT_USER_ID: '@bot:hs',
      USER_PREFIX: 'turnpike_',
      APPSERVICE_ID: 'turnpike',
      MATRIX_PRINCIPAL_PATTERN: '@(?<principal>.+):.*',
    };
    expect(readEnv(env).principalOf('@ana:hs')).toBe('id:ana');
    expect(readEnv(env).principalOf('@ana:other')).toBe('@ana:other');
    const named = readEnv({ ...env, MATRIX_PRINCIPAL_SERVERS: 'other' });
    expect(named.principalOf('@ana:hs')).toBe('@ana:hs');
    expect(named.principalOf('@ana:other')).toBe('id:ana');
    expect(() => readEnv({ ...env, MATRIX_PRINCIPAL_PATTERN: '@(?<principal>(a+)+):hs' })).toThrow(
      /too long/,
    );
  });
});
