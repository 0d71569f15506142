/** The keys of sessions, from a secret on the wire. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type LocalSecrets, startSecrets } from '../../../bin/dev/secrets.ts';
import { sessionKeys } from '../../../functions/adapters/secrets/session-keys.ts';

const NEW = 'n'.repeat(32);
const OLD = 'o'.repeat(32);

/** What the server answers from now on. */
const secret: Record<string, string> = {};
let server: LocalSecrets;
beforeAll(async () => {
  server = await startSecrets(secret);
  vi.stubEnv('AWS_ENDPOINT_URL_SECRETS_MANAGER', server.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.stop();
});

let read = 0;
/** Each under a name of its own, since what was read is kept. */
function keysOf(fields: Readonly<Record<string, string>>) {
  for (const name of Object.keys(secret)) delete secret[name];
  Object.assign(secret, fields);
  return sessionKeys(`${server.arn}-${read++}`);
}

describe('the keys of sessions', () => {
  it('are the key, and while it is rotated the one before until its time', async () => {
    const { current, previous } = await keysOf({
      as_token: 'a',
      session_key: NEW,
      previous_session_key: OLD,
      previous_session_key_until: '2027-01-02T03:04:05+01:00',
    });
    expect(Buffer.from(current.secret).toString()).toBe(NEW);
    expect(current).not.toHaveProperty('until');
    expect(Buffer.from(previous!.secret).toString()).toBe(OLD);
    expect(previous!.until).toBe(Date.UTC(2027, 0, 2, 2, 4, 5));
  });

  it('have ids that stay, differ, and say nothing of the key', async () => {
    const [one, again, other] = [
      await keysOf({ session_key: NEW }),
      await keysOf({ session_key: NEW }),
      await keysOf({ session_key: OLD }),
    ].map(({ current }) => current.id);
    expect(one).toBe(again);
    expect(one).not.toBe(other);
    expect(NEW).not.toContain(one);
  });

  it('do not come from a key before that has no end', async () => {
    expect(await keysOf({ session_key: NEW, previous_session_key: OLD })).not.toHaveProperty('previous');
  });

  it('are kept for five minutes', async () => {
    const name = `${server.arn}-kept`;
    Object.assign(secret, { session_key: NEW });
    const [first] = [await sessionKeys(name), Object.assign(secret, { session_key: OLD })];
    expect((await sessionKeys(name)).current.id).toBe(first.current.id);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_001 });
    expect((await sessionKeys(name)).current.id).not.toBe(first.current.id);
    vi.useRealTimers();
  });

  it.each([
    ['session_key', {}],
    ['session_key', { session_key: 'too short' }],
    ['previous_session_key', { session_key: NEW, previous_session_key: 'too short' }],
    ['previous_session_key_until', { session_key: NEW, previous_session_key_until: 'tomorrow' }],
  ])('are refused by the field’s name: %s of %j', async (field, fields) => {
    const message = await keysOf(fields).then(
      () => 'taken',
      (error: Error) => error.message,
    );
    expect(message).toBe(`odd fields in the secret: ${field}`);
  });
});
