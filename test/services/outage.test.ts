import { expect, it } from 'vitest';
import { localCredentials } from '../../bin/dev/credentials.ts';
import { command } from './command.ts';
import type { Person } from './person.ts';
import { testSystem } from './system.ts';
import { until } from './until.ts';

const system = testSystem();

/** How often the bot has said each of the lines back. */
async function timesSaid(person: Person, room: string, lines: readonly string[]): Promise<number[]> {
  const said = (await person.heard(room)).map(({ content }) => content.body).join('\n');
  return lines.map((line) => said.split(line).length - 1);
}

it('what was said while the webhook was away comes with a ping, all of it', async () => {
  const { inside, person, synapse, toWebhook, connect } = system();
  const alice = await person('alice');
  const rooms = [await alice.directRoom(), await alice.directRoom()];
  await toWebhook.down();
  const lines = ['first of all', 'secondly', 'and then'];
  for (const room of rooms) for (const line of lines) await alice.say(room, line);
  const paused = /Scheduling retries on \S+ in 8/;
  await until('Synapse to make a pause of 8 s', async () => paused.test(await synapse.log()));
  await toWebhook.up();
  await connect();
  for (const room of rooms) for (const line of lines) await alice.hears(room, line, 5_000);
  await inside.idle();
  for (const room of rooms) expect(await timesSaid(alice, room, lines)).toEqual([1, 1, 1]);
});

it('what Synapse loses at a crash is decided by npm run catchup, and only once', async () => {
  const { inside, person, stack, synapse, toWebhook, connect } = system();
  const alice = await person('alice');
  const [room, other] = [await alice.directRoom(), await alice.directRoom()];
  const pushed: string[] = [];
  let isHeld = false;
  toWebhook.rule(({ body, forward }) => {
    isHeld ||= body.includes('held back');
    return isHeld ? new Promise(() => {}) : forward();
  });
  // While a transaction is on its way, what follows waits in Synapse's memory.
  const lines = ['held back', 'lost one', 'lost two', 'lost three'];
  for (const line of lines) await alice.say(room, line);
  await until('the transaction to be held', () => isHeld);
  await synapse.kill();
  toWebhook.rule(({ body, forward }) => {
    pushed.push(body.toString());
    return forward();
  });
  await synapse.start();
  await alice.say(other, 'hello again');
  await alice.hears(other, 'hello again');
  const wasPushed = (line: string) => pushed.some((body) => body.includes(line));
  // It may come back to its last event, which it had not noted as handed on.
  expect(lines.filter(wasPushed).length).toBeLessThan(lines.length - 1);
  expect(wasPushed('held back')).toBe(false);

  const { region, credentials } = localCredentials;
  const ran = await command('catchup', [room], {
    ...stack.env,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  expect(ran).toMatchObject({ status: 0, err: '' });
  for (const line of lines) await alice.hears(room, line);

  // The transaction that was held comes behind the next outage, late and out of order.
  const pauses = async () => (await synapse.log()).split('Scheduling retries').length;
  const before = await pauses();
  await toWebhook.down();
  await alice.say(other, 'still there');
  await until('Synapse to notice', async () => (await pauses()) > before);
  await toWebhook.up();
  await connect();
  await until('the old transaction', () => wasPushed('held back'));
  await alice.hears(other, 'still there');
  await inside.idle();
  expect(await timesSaid(alice, room, lines)).toEqual([1, 1, 1, 1]);
});

it.each(['does not reach it', 'is stored and not answered'])(
  'Synapse restarts between two parts of a reply, whose second %s: nothing is doubled',
  async (fate) => {
    const { inside, person, synapse, toHomeserver } = system();
    const alice = await person('alice');
    const room = await alice.directRoom();
    let restarts = 0;
    toHomeserver.rule(async ({ method, path, forward }) => {
      const second = method === 'PUT' && /\/send\/m\.room\.message\/[^/]*%231$/.test(path);
      if (!second || restarts++ > 0) return forward();
      const answer = fate === 'does not reach it' ? undefined : await forward();
      await synapse.kill();
      await synapse.start();
      return answer ? 'cut' : forward();
    });
    const asked = await alice.say(room, 'write 50 KB');
    expect(await inside.ended(room, asked, 60_000)).toMatchObject({ status: 'complete' });
    expect(restarts).toBeGreaterThan(0);
    await inside.idle();
    const parts = (await alice.heard(room)).map(
      ({ content }) => content['io.turnpike.turn'] as { part: string },
    );
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.map(({ part }) => Number(part.split('#')[1]))).toEqual([...parts.keys()]);
  },
);
