import { describe, expect, it } from 'vitest';
import { faultsOf, registration } from '../../functions/matrix/registration.ts';

const own = { prefix: 'bot_', server: 'hs.example' };
const options = {
  id: 'turnpike',
  url: 'https://hook.example/stage',
  server: 'hs.example',
  bot: 'bot',
  prefix: 'bot_',
  asToken: 'as-token',
  hsToken: 'hs-token',
};
const sound = registration(options);
const users = (...regexes: unknown[]) => ({
  ...sound,
  namespaces: { ...sound.namespaces, users: regexes.map((regex) => ({ exclusive: true, regex })) },
});

describe('a registration', () => {
  it('is what a homeserver reads', () => {
    expect(sound).toEqual({
      id: 'turnpike',
      url: 'https://hook.example/stage',
      as_token: 'as-token',
      hs_token: 'hs-token',
      sender_localpart: 'bot',
      rate_limited: false,
      receive_ephemeral: false,
      namespaces: {
        users: [
          { exclusive: true, regex: '^@bot:hs\\.example$' },
          { exclusive: true, regex: '^@bot_[^:]*:hs\\.example$' },
        ],
        aliases: [{ exclusive: true, regex: '^#bot_[^:]*:hs\\.example$' }],
        rooms: [],
      },
    });
  });

  it.each([
    ['bot', 'bot_', 'hs.example'],
    ['a.b-c', 'a.b-c.', 'localhost:8448'],
    ['zz', 'zz', '[::1]'],
    ['x', 'agent/', 'xn--hs-1ka.example'],
  ])('of %s and %s on %s has no faults', (bot, prefix, server) => {
    expect(faultsOf(registration({ ...options, bot, prefix, server }), { prefix, server })).toEqual([]);
  });

  it('may have no url, and keys of servers’ own', () => {
    expect(faultsOf({ ...sound, url: null, protocols: ['x'], 'io.element.msc4190': true }, own)).toEqual([]);
  });
});

describe('faults', () => {
  it.each([null, 'x', [], 5])('are found in what is no registration: %j', (value) => {
    expect(faultsOf(value, own)).toEqual(['not a mapping of keys to values']);
  });

  it.each([
    ['id', undefined],
    ['id', 7],
    ['as_token', ''],
    ['as_token', 'with space'],
    ['hs_token', 'naïve'],
    ['hs_token', 'as-token'],
    ['sender_localpart', undefined],
    ['sender_localpart', 'a b'],
    ['sender_localpart', 'a=b'],
    ['sender_localpart', '@bot:hs.example'],
    ['url', undefined],
    ['url', 'hook.example'],
    ['url', 'ftp://hook.example'],
    ['url', 'https://hook.example/'],
    ['url', 'https://hook.example?a=b'],
    ['url', 5],
    ['rate_limited', 'no'],
    ['receive_ephemeral', null],
  ])('are found in an odd %s: %j', (key, value) => {
    expect(faultsOf({ ...sound, [key]: value }, own).some((fault) => fault.startsWith(`${key}:`))).toBe(true);
  });

  it('are found in namespaces that are missing or no lists', () => {
    expect(faultsOf({ ...sound, namespaces: undefined }, own)).toEqual(['namespaces: missing']);
    const odd = { ...sound, namespaces: { ...sound.namespaces, aliases: 'x' } };
    expect(faultsOf(odd, own)).toEqual(['namespaces.aliases: must be a list']);
    const rooms = {
      ...sound,
      namespaces: { ...sound.namespaces, rooms: [{ exclusive: false, regex: '.*' }] },
    };
    expect(faultsOf(rooms, own)).toEqual([expect.stringContaining('namespaces.rooms')]);
  });

  it('are found in each entry', () => {
    const entries = [{ regex: 5 }, { exclusive: 'yes', regex: '(' }, 'x'];
    const found = faultsOf({ ...sound, namespaces: { ...sound.namespaces, aliases: entries } }, own);
    expect(found.map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual([
      'namespaces.aliases[0].exclusive',
      'namespaces.aliases[0].regex',
      'namespaces.aliases[1].exclusive',
      'namespaces.aliases[1].regex',
      'namespaces.aliases[2].exclusive',
      'namespaces.aliases[2].regex',
    ]);
  });

  it.each([
    '^.*$',
    '^@.*$',
    '^@.*:hs\\.example$',
    '^@bot.*:hs\\.example$',
    '^@bo[^:]*:hs\\.example$',
    '^@bot_.*$',
    '^@bot_.*:hs.example$',
    '^@bot_.*:.*$',
    '^@.*bot_.*:hs\\.example$',
    '^@bot_[^:]*:hs\\.example$|^@alice:hs\\.example$',
    '@bot_[^:]*:hs\\.example',
    '^@bot_[^:]*:hs\\.example',
    '^@[Bb][Oo][Tt]_[^:]*:hs\\.example$',
  ])('are found in a users regex that is too wide: %s', (regex) => {
    const bot = '^@bot:hs\\.example$';
    expect(faultsOf(users(bot, '^@bot_[^:]*:hs\\.example$', regex), own)).not.toEqual([]);
  });

  it('are found in a users regex that is not anchored, though no stranger shows it', () => {
    const found = faultsOf(users('^@bot:hs\\.example$', '^@bot_[^:]*:hs\\.example(?!.)'), own);
    expect(found).toEqual([expect.stringContaining('must begin with ^ and end with $')]);
  });

  it('are none in what is as wide as the prefix, or less', () => {
    expect(faultsOf(users('^@bot(_.*)?:hs\\.example$'), own)).toEqual([]);
    const less = ['^@bot:hs\\.example$', '^@bot_[a-z]+:hs\\.example$'];
    expect(faultsOf(users(...less), own)).toEqual([]);
  });

  it('are found where the bot or our users are not named, or not ours alone', () => {
    expect(faultsOf(users('^@bot_.*:hs\\.example$'), own)).toEqual([
      expect.stringContaining('@bot:hs.example'),
    ]);
    expect(faultsOf(users('^@bot:hs\\.example$'), own)).toEqual([
      expect.stringContaining('@bot_a:hs.example'),
    ]);
    const shared = sound.namespaces.users.map((entry) => ({ ...entry, exclusive: false }));
    expect(faultsOf({ ...sound, namespaces: { ...sound.namespaces, users: shared } }, own)).toHaveLength(2);
  });

  it('are found in a prefix that is none', () => {
    const none = { prefix: '', server: 'hs.example' };
    expect(faultsOf(registration({ ...options, prefix: '' }), none)).not.toEqual([]);
  });

  it('are named all at once', () => {
    const all = faultsOf({ url: 'x/', namespaces: { users: [{}], rooms: 1 } }, own);
    for (const key of [
      'id',
      'as_token',
      'hs_token',
      'sender_localpart',
      'url',
      'namespaces.users[0].regex',
      'namespaces.rooms',
    ])
      expect(
        all.some((fault) => fault.startsWith(key)),
        key,
      ).toBe(true);
  });

  it('hold no token', () => {
    const faults = faultsOf({ ...sound, as_token: 'secret one', hs_token: 'secret one' }, own);
    expect(faults).not.toEqual([]);
    expect(faults.join()).not.toContain('secret');
  });
});
