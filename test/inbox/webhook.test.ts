/** The webhook as a homeserver sees it: who is let in, what each call answers, and what must never be anything but 200. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../functions/gate/options.ts';
import type { HsTokens } from '../../functions/inbox/tokens.ts';
import { answerWebhook, type WebhookDeps, type WebhookRequest } from '../../functions/inbox/webhook.ts';
import { namespace } from '../../functions/matrix/ids.ts';
import { Unavailable } from '../../functions/runtime/table.ts';
import { FlowSystem } from '../model/flow/system.ts';
import { World } from '../model/world.ts';

const tokens: HsTokens = { current: 'good', previous: { token: 'old', until: 1_000 } };

function webhook(more: Partial<WebhookDeps> = {}) {
  const taken: (readonly unknown[])[] = [];
  const failures: unknown[] = [];
  const deps: WebhookDeps = {
    namespace: namespace('@bot:hs', 'bot_'),
    tokens: async () => tokens,
    now: () => 500,
    take: async (events) => void taken.push(events),
    fail: (error) => void failures.push(error),
    ...more,
  };
  const call = (method: string, path: string, request: Partial<WebhookRequest> = {}) =>
    answerWebhook(deps, {
      method,
      path,
      query: '',
      authorization: 'Bearer good',
      body: () => '{"events":[]}',
      ...request,
    });
  return { call, taken, failures };
}

const TRANSACTION = '/_matrix/app/v1/transactions/1';

describe('routes', () => {
  it.each([
    ['PUT', TRANSACTION, 200, {}],
    ['PUT', '/transactions/1', 200, {}],
    ['PUT', '/_matrix/app/v1/transactions/a%2Fb', 200, {}],
    ['GET', '/_matrix/app/v1/users/%40bot%3Ahs', 200, {}],
    ['GET', '/_matrix/app/v1/users/@bot_x:hs', 200, {}],
    ['GET', '/users/%40bot_x%3Ahs', 200, {}],
    ['GET', '/_matrix/app/v1/users/%40alice%3Ahs', 404, { errcode: 'M_NOT_FOUND' }],
    ['GET', '/_matrix/app/v1/users/%', 404, { errcode: 'M_NOT_FOUND' }],
    ['GET', '/_matrix/app/v1/rooms/%23bot_x%3Ahs', 404, { errcode: 'M_NOT_FOUND' }],
    ['GET', '/_matrix/app/v1/thirdparty/protocol/x', 404, { errcode: 'M_NOT_FOUND' }],
    ['POST', '/_matrix/app/v1/ping', 200, {}],
    ['POST', '/ping', 200, {}],
    ['GET', '/_matrix/app/v1/ping', 405, { errcode: 'M_UNRECOGNIZED' }],
    ['POST', TRANSACTION, 405, { errcode: 'M_UNRECOGNIZED' }],
    ['PUT', '/_matrix/app/v1/transactions/', 404, { errcode: 'M_UNRECOGNIZED' }],
    ['POST', '/_matrix/app/unstable/org.matrix.msc3983/keys/claim', 404, { errcode: 'M_UNRECOGNIZED' }],
    ['GET', '/', 404, { errcode: 'M_UNRECOGNIZED' }],
  ])('%s %s: %i', async (method, path, status, body) => {
    const answer = await webhook().call(method, path);
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject(body);
    if (status === 200) expect(answer.body).toEqual({});
  });
});

describe('the token', () => {
  it.each([
    ['the header', 'Bearer good', '', 200],
    ['any case of its scheme', 'bEaReR good', '', 200],
    ['the old query form', undefined, 'access_token=good', 200],
    ['both, equal', 'Bearer good', 'access_token=good', 200],
    ['both, different', 'Bearer good', 'access_token=old', 403],
    ['the previous one, before its end', 'Bearer old', '', 200],
    ['none', undefined, '', 401],
    ['an empty one', 'Bearer ', '', 403],
    ['a wrong one', 'Bearer bad', '', 403],
    ['another scheme', 'Basic good', '', 403],
    ['a wrong one in the query', undefined, 'access_token=bad', 403],
  ])('%s', async (_, authorization, query, status) => {
    const { call, taken } = webhook();
    const answer = await call('PUT', TRANSACTION, { authorization, query });
    expect(answer.status).toBe(status);
    expect(answer.body.errcode).toBe({ 200: undefined, 401: 'M_MISSING_TOKEN', 403: 'M_FORBIDDEN' }[status]);
    expect(taken).toHaveLength(status === 200 ? 1 : 0);
  });

  it('is checked before the body is read, and the previous one ends at its date', async () => {
    let read = false;
    const body = () => {
      read = true;
      return '{"events":[]}';
    };
    expect((await webhook().call('PUT', TRANSACTION, { authorization: 'Bearer bad', body })).status).toBe(
      403,
    );
    expect(read).toBe(false);
    expect(
      (await webhook({ now: () => 1_000 }).call('PUT', TRANSACTION, { authorization: 'Bearer old' })).status,
    ).toBe(403);
  });
});

describe('a transaction', () => {
  it('is refused only for a body that is none, with the protocol’s codes', async () => {
    const { call, taken } = webhook();
    const answers = ['', '{', '"x"', 'null', '[]', '{}', '{"events":{}}', '{"events":null}'].map(
      async (text) => call('PUT', TRANSACTION, { body: () => text }),
    );
    const codes = (await Promise.all(answers)).map(({ status, body }) => `${status} ${body.errcode}`);
    expect(codes).toEqual(['400 M_NOT_JSON', '400 M_NOT_JSON', ...Array(6).fill('400 M_BAD_JSON')]);
    expect(taken).toEqual([]);
  });

  it('may begin with a byte order mark, and its id says nothing: other events under it are taken', async () => {
    const { call, taken } = webhook();
    await call('PUT', TRANSACTION, {
      body: () => '\uFEFF{"events":[1],"ephemeral":[2],"de.sorunome.msc2409.ephemeral":[2]}',
    });
    await call('PUT', TRANSACTION, { body: () => '{"events":[3]}' });
    expect(taken).toEqual([[1], [3]]);
  });

  it('is 503 when a store is away, 500 when we are at fault, and says nothing of why', async () => {
    const away = webhook({ take: () => Promise.reject(new Unavailable('x')) });
    expect(await away.call('PUT', TRANSACTION)).toEqual({
      status: 503,
      body: { errcode: 'M_UNKNOWN', error: 'Try again' },
    });
    const broken = webhook({ take: () => Promise.reject(new Error('secret')) });
    expect(JSON.stringify(await broken.call('PUT', TRANSACTION))).not.toContain('secret');
    expect(broken.failures).toHaveLength(1);
  });

  it('gets 200 whatever its events are: 10,000 fuzzed ones', { timeout: 120_000 }, async () => {
    const world = new World(1, { crash: 0, lost: 0, freeze: 0 });
    world.call = async (_process, effect) => effect();
    const system = new FlowSystem(world, {}, LIMITS, 10);
    const process = world.process(Number.POSITIVE_INFINITY, false);
    const { call, failures } = webhook({ take: (events) => system.take(process, events) });
    const id = fc.constantFrom('$a', '$b', '$c', '', `$${'x'.repeat(600)}`, '__proto__', '$ü\u0000');
    const user = fc.constantFrom('@alice:hs', '@bot:hs', '@bot_x:hs', '@', 'alice', '@a:b:c', '');
    const relation = fc.record(
      {
        rel_type: fc.constantFrom('m.thread', 'm.replace', 'm.annotation', 7),
        event_id: fc.oneof(id, fc.anything()),
        key: fc.anything(),
        is_falling_back: fc.anything(),
        'm.in_reply_to': fc.anything(),
      },
      { requiredKeys: [] },
    );
    const content = fc.oneof(
      fc.anything(),
      fc.record(
        {
          msgtype: fc.constantFrom('m.text', 'm.notice', 'm.image', 'm.audio', 5, null),
          body: fc.oneof(fc.string(), fc.anything()),
          'm.mentions': fc.anything(),
          'm.new_content': fc.anything(),
          'm.relates_to': fc.oneof(relation, fc.anything()),
          redacts: id,
          membership: fc.constantFrom('join', 'leave', 'invite', 'ban', 3),
        },
        { requiredKeys: [] },
      ),
    );
    const event = fc.oneof(
      { weight: 1, arbitrary: fc.anything() },
      {
        weight: 6,
        arbitrary: fc.record(
          {
            event_id: id,
            room_id: fc.constantFrom('!r', '!v12roomwithoutserver', '', 5),
            type: fc.constantFrom(
              'm.room.message',
              'm.room.redaction',
              'm.reaction',
              'm.room.encrypted',
              'm.room.member',
              'm.room.create',
              'm.room.tombstone',
              'm.room.encryption',
              'x',
              5,
            ),
            sender: user,
            content,
            state_key: fc.constantFrom('', '@bot:hs', '@alice:hs', 7, null),
            redacts: id,
            origin_server_ts: fc.oneof(fc.integer(), fc.anything()),
            unsigned: fc.anything(),
          },
          { requiredKeys: ['event_id', 'room_id', 'type', 'sender', 'content'] },
        ),
      },
    );
    const events = fc.array(event, { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(events, async (list) => {
        let body: string;
        try {
          body = JSON.stringify({ events: list });
        } catch {
          return;
        }
        const answer = await call('PUT', TRANSACTION, { body: () => body });
        if (answer.status !== 200)
          throw new Error(
            `${answer.status} ${JSON.stringify(answer.body)} ${String((failures.at(-1) as Error)?.stack)}`,
          );
      }),
      { numRuns: 10_000, seed: 20_261_201 },
    );
    expect([...world.violations]).toEqual([]);
  });
});
