import { describe, expect, it } from 'vitest';
import { type MatrixClient, MatrixError, type MatrixFault } from '../../functions/matrix/client.ts';
import { connect } from '../../functions/matrix/connect.ts';

/** A homeserver as far as `connect` sees it; `failing` calls fail as told. */
function homeserver(failing: Partial<Record<keyof MatrixClient, MatrixFault>> = {}, user = '@bot:hs') {
  const calls: string[] = [];
  const profile: { displayName?: string; avatarUrl?: string } = {};
  let registered = false;
  const answer = <T>(name: keyof MatrixClient, given: () => T) => {
    calls.push(name);
    const fault = failing[name];
    return fault ? Promise.reject(new MatrixError(name, fault)) : Promise.resolve(given());
  };
  const client: Partial<MatrixClient> = {
    register: (localpart) =>
      answer('register', () => {
        expect(localpart).toBe('bot');
        const before = registered;
        registered = true;
        return before ? 'exists' : 'registered';
      }),
    whoami: () => answer('whoami', () => user),
    profile: () => answer('profile', () => (Object.keys(profile).length > 0 ? { ...profile } : undefined)),
    setDisplayName: (name) =>
      answer('setDisplayName', () => {
        profile.displayName = name;
      }),
    setAvatarUrl: (url) =>
      answer('setAvatarUrl', () => {
        profile.avatarUrl = url;
      }),
    ping: () => answer('ping', () => 7),
  };
  return { client: client as MatrixClient, calls, profile };
}

const options = { bot: '@bot:hs', appserviceId: 'turnpike', displayName: 'Bot', avatarUrl: 'mxc://hs/a' };

describe('connecting', () => {
  it('registers before anything else, names, and pings', async () => {
    const { client, calls, profile } = homeserver();
    expect(await connect(client, options)).toEqual({ ok: true, registered: 'registered', pingMs: 7 });
    expect(calls).toEqual(['register', 'whoami', 'profile', 'setDisplayName', 'setAvatarUrl', 'ping']);
    expect(profile).toEqual({ displayName: 'Bot', avatarUrl: 'mxc://hs/a' });
  });

  it('changes nothing the second time', async () => {
    const { client, calls } = homeserver();
    await connect(client, options);
    calls.length = 0;
    expect(await connect(client, options)).toMatchObject({ ok: true, registered: 'exists' });
    expect(calls).toEqual(['register', 'whoami', 'profile', 'ping']);
  });

  it('leaves a name alone that it is not given', async () => {
    const { client, calls } = homeserver();
    await connect(client, { bot: '@bot:hs', appserviceId: 'turnpike' });
    expect(calls).toEqual(['register', 'whoami', 'profile', 'ping']);
  });

  it('does not hide a fault of ours', async () => {
    const { client } = homeserver();
    const broken = { ...client, whoami: () => Promise.reject(new TypeError('ours')) };
    await expect(connect(broken, options)).rejects.toThrow('ours');
  });
});

describe('what is wrong', () => {
  const refused = (status: number, errcode: string) => ({ kind: 'refused', status, errcode }) as const;
  const failed = (status: number, errcode = '') => ({ kind: 'unreachable', status, errcode }) as const;
  const bad = (pinged: number) => ({ ...failed(502, 'M_BAD_STATUS'), pinged });

  it.each<[keyof MatrixClient, MatrixFault, RegExp]>([
    ['register', refused(401, 'M_UNKNOWN_TOKEN'), /does not know the as_token.*\(401 M_UNKNOWN_TOKEN\)/],
    ['register', refused(400, 'M_EXCLUSIVE'), /not in the users namespace/],
    ['register', refused(400, 'M_INVALID_USERNAME'), /localpart/],
    ['register', { kind: 'unreachable' }, /does not answer/],
    ['register', failed(302), /leads to another/],
    ['register', failed(404), /no homeserver/],
    ['register', failed(502), /not up yet/],
    ['register', failed(500, 'M_UNKNOWN'), /used before it was registered/],
    ['register', { kind: 'limited', status: 429 }, /fewer requests/],
    ['profile', refused(403, 'M_FORBIDDEN'), /refused the step "profile"/],
    ['ping', bad(403), /answered the homeserver with 403.*same hs_token/],
    ['ping', bad(404), /url in the registration/],
    ['ping', bad(500), /answered with 500/],
    ['ping', failed(502, 'M_CONNECTION_FAILED'), /does not reach the webhook/],
    ['ping', failed(504, 'M_CONNECTION_TIMEOUT'), /in time/],
    ['ping', refused(400, 'M_URL_NOT_SET'), /no url/],
    ['ping', refused(403, 'M_FORBIDDEN'), /id is not that of the registration/],
    ['ping', refused(404, 'M_UNRECOGNIZED'), /older than spec v1\.7/],
    ['ping', { kind: 'unreachable' }, /does not answer/],
  ])('is said: %s %j', async (step, fault, words) => {
    const connected = await connect(homeserver({ [step]: fault }).client, options);
    expect(connected).toMatchObject({ ok: false, step, problem: expect.stringMatching(words) });
  });

  it('is said of a token or a name that is another’s', async () => {
    const other = await connect(homeserver({}, '@other:hs').client, options);
    expect(other).toMatchObject({
      ok: false,
      step: 'whoami',
      problem: expect.stringMatching(/@other:hs, not for @bot:hs/),
    });
    const server = await connect(homeserver({}, '@bot:matrix.hs').client, options);
    expect(server).toMatchObject({ ok: false, problem: expect.stringMatching(/"matrix\.hs", not "hs"/) });
  });
});
