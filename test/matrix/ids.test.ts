import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globs, isUserId, namespace, serverOf } from '../../functions/matrix/ids.ts';

describe('ids', () => {
  it('have a server behind their first colon', () => {
    expect(serverOf('@a:hs')).toBe('hs');
    expect(serverOf('@a:hs.org:8448')).toBe('hs.org:8448');
    expect(serverOf('@a:[::1]:8448')).toBe('[::1]:8448');
    expect(serverOf('!31hneApxJ_1o-63DmFrpeqnkFfWppnzWso1JvH3ogLM')).toBeUndefined();
    expect(serverOf('@a:')).toBeUndefined();
  });

  it('of users are told from anything else', () => {
    for (const id of ['@a:hs', '@Old Name!:hs:8448', '@:hs', '@a/b+c=d:hs']) expect(isUserId(id)).toBe(true);
    for (const id of ['a:hs', '@a', '@a:', '#a:hs', '@a:h s', ' @a:hs', `@${'a'.repeat(260)}:hs`, 5, null])
      expect(isUserId(id)).toBe(false);
  });
});

describe('a namespace', () => {
  const ours = namespace('@bot:hs:8448', 'bot_');

  it('holds the bot and what has the prefix, on the bot’s server', () => {
    expect(ours).toMatchObject({ bot: '@bot:hs:8448', server: 'hs:8448', prefix: 'bot_' });
    for (const id of ['@bot:hs:8448', '@bot_:hs:8448', '@bot_a:hs:8448']) expect(ours.isOurs(id)).toBe(true);
    for (const id of [
      '@bot:hs',
      '@bot_a:hs',
      '@bota:hs:8448',
      '@Bot_a:hs:8448',
      '@bot_a:evil:hs:8448',
      '#bot_a:hs:8448',
    ])
      expect(ours.isOurs(id)).toBe(false);
  });

  it('holds aliases with the prefix', () => {
    expect(ours.isOurAlias('#bot_alice:hs:8448')).toBe(true);
    for (const alias of [
      '#bot:hs:8448',
      '#bot_alice:hs',
      'x#bot_alice:hs:8448',
      '@bot_a:hs:8448',
      '#bot_a:hs:8448x',
    ])
      expect(ours.isOurAlias(alias)).toBe(false);
  });

  it('is none of everybody’s', () => {
    expect(() => namespace('bot', 'bot_')).toThrow(TypeError);
    expect(() => namespace('@bot:hs', '')).toThrow(TypeError);
    expect(() => namespace('@bot:hs', 'a:hs')).toThrow(TypeError);
  });
});

describe('globs', () => {
  it.each([
    [['@*:hs'], '@a:hs', true],
    [['@*:hs'], '@a:hs.example', false],
    [['@a?:hs'], '@ab:hs', true],
    [['@a?:hs'], '@a:hs', false],
    [['@a?:hs'], '@a😀:hs', true],
    [['@a.b:hs'], '@axb:hs', false],
    [['@(a|b)[c]+$^\\:hs'], '@(a|b)[c]+$^\\:hs', true],
    [['*'], '', true],
    [[''], '', true],
    [[''], 'a', false],
    [[], 'a', false],
    [['x', '@b*'], '@bob:hs', true],
    [['@A:hs'], '@a:hs', false],
    [['@*:*:8448'], '@a:hs:8448', true],
  ])('%j on %j: %j', (patterns, id, matches) => {
    expect(globs(patterns)(id)).toBe(matches);
  });

  it('say the same as a regular expression', () => {
    const parts = fc.array(fc.constantFrom('a', 'b', '*', '?'), { maxLength: 8 });
    const ids = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 });
    fc.assert(
      fc.property(parts, ids, (pattern, id) => {
        const regex = new RegExp(`^${pattern.join('').replaceAll('*', '.*').replaceAll('?', '.')}$`);
        expect(globs([pattern.join('')])(id.join(''))).toBe(regex.test(id.join('')));
      }),
      { numRuns: 3_000, seed: 4 },
    );
  });

  it('take no longer for contrived ones', () => {
    const started = performance.now();
    expect(globs([`${'a*'.repeat(100)}b`])('a'.repeat(20_000))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
