import { describe, expect, it } from 'vitest';
import { authenticate, tokenIn } from '../../../bin/dev/homeserver/auth.ts';
import { serviceQueries } from '../../../bin/dev/homeserver/routes/service-queries.ts';
import { createWorld } from '../../../bin/dev/homeserver/world.ts';
import { bot, faultOf, registration, serverName } from './small-world.ts';
import { seededRandom, virtualClock } from './virtual-clock.ts';

/** A world in which nobody is registered yet, not even the bot. */
const freshWorld = () =>
  createWorld({ serverName, registration, clock: virtualClock(), random: seededRandom() });
const query = (text = '') => new URLSearchParams(text);

describe('a token', () => {
  it('is taken from the header, whatever the case of its scheme, else from the query', () => {
    expect(tokenIn('Bearer a', query('access_token=b'))).toBe('a');
    expect(tokenIn('bearer a', query())).toBe('a');
    expect(tokenIn('Basic a', query('access_token=b'))).toBe('b');
    expect(tokenIn(undefined, query())).toBeUndefined();
  });
});

describe('the service', () => {
  it('acts as its sender even before that is registered, as others only after', () => {
    const world = freshWorld();
    const as = (user: string) => authenticate(world, 'as-token', query(`user_id=${user}`));
    expect(authenticate(world, 'as-token', query()).user).toBe(bot);
    expect(as(bot).user).toBe(bot);
    expect(faultOf(() => as('@bot_a:hs.test')).status).toBe(403);
    expect(faultOf(() => as('@bot_a:other.test')).status).toBe(403);
  });

  it('has one space of transaction ids for all its users, a person one for each token', () => {
    const world = freshWorld();
    world.register('bot_a', 'service');
    const owner = (token: string, text = '') => authenticate(world, token, query(text)).owner;
    expect(owner('as-token', 'user_id=@bot_a:hs.test')).toBe(owner('as-token'));
    const alice = world.register('alice');
    const [one, other] = [world.logIn(alice), world.logIn(alice)].map(({ access_token }) => access_token);
    expect(owner(one!)).not.toBe(owner(other!));
    expect(owner(one!)).not.toBe(owner('as-token'));
  });

  it('is asked about an unregistered user of its own, never about its sender', async () => {
    const world = freshWorld();
    const asked: string[] = [];
    const ask = serviceQueries(world, {
      query: async (kind, id) => {
        asked.push(`${kind} ${id}`);
        return { kind: 'answered', status: 404, body: '{}' };
      },
    });
    const { signal } = new AbortController();
    for (const user of [bot, '@alice:hs.test', '@bot_a:hs.test']) await ask.user(user, signal);
    world.register('bot_a', 'service');
    await ask.user('@bot_a:hs.test', signal);
    expect(asked).toEqual(['users @bot_a:hs.test']);
  });
});
