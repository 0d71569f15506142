import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { maxPayload } from '../../bin/dev/host/function.ts';
import { testSystem } from './system.ts';

const system = testSystem();

async function push(body: string): Promise<number> {
  const { stack, tokens } = system();
  const url = `${stack.url}/_matrix/app/v1/transactions/${randomUUID()}`;
  const headers = { authorization: `Bearer ${tokens.hs_token}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'PUT', headers, body });
  await response.body?.cancel();
  return response.status;
}

/** The most of something a transaction may hold; `low` is taken and `high` is not. */
async function most(low: number, high: number, bodyOf: (count: number) => string): Promise<number> {
  let [good, bad] = [low, high];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const status = await push(bodyOf(middle));
    expect([200, 413]).toContain(status);
    if (status === 200) good = middle;
    else bad = middle;
  }
  return good;
}

it('a transaction is taken up to 6 MB of its escaped body, and is 413 beyond', async () => {
  const filled = (character: string) => (count: number) =>
    JSON.stringify({ events: [], filler: character.repeat(count) });
  const bytes = (body: string) => Buffer.byteLength(body);
  const plain = filled('a')(await most(maxPayload - 8_000, maxPayload, filled('a')));
  const quotes = filled('"')(await most(maxPayload / 4 - 2_000, maxPayload / 4, filled('"')));
  console.log(`largest transaction: ${bytes(plain)} bytes plain, ${bytes(quotes)} bytes of quote characters`);
  for (const body of [plain, quotes]) {
    const escaped = bytes(JSON.stringify(body));
    expect(escaped).toBeGreaterThan(maxPayload - 4_000);
    expect(escaped).toBeLessThan(maxPayload);
  }
});

it('so many of the largest events of quote characters stall the application service', async () => {
  const { person, toWebhook } = system();
  const [alice, bob] = [await person('alice'), await person('bob')];
  const room = await alice.groupRoom([bob]);
  const pushed = Promise.withResolvers<string>();
  toWebhook.rule(({ body, forward }) => {
    if (body.includes('\\"\\"')) pushed.resolve(body.toString());
    return forward();
  });
  await alice.say(room, '"'.repeat(32_000));
  const { events } = JSON.parse(await pushed.promise) as { events: { event_id: string }[] };
  const several = (count: number) =>
    JSON.stringify({
      events: Array.from({ length: count }, () => ({ ...events[0], event_id: `$${randomUUID()}` })),
    });
  const taken = await most(1, 100, several);
  const bytes = Buffer.byteLength(several(taken));
  console.log(
    `${taken} such events are taken (${bytes} bytes), ${taken + 1} are 413; Synapse sends up to 100`,
  );
  expect(taken).toBeGreaterThanOrEqual(45);
  expect(taken).toBeLessThan(55);
});
