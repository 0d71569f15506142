import { expect, it } from 'vitest';
import { testSystem } from './system.ts';
import { until } from './until.ts';

const system = testSystem();

it('a worker killed in mid-turn costs time, and neither the reply nor a second one', async () => {
  const { inside, person, stack } = system();
  const alice = await person('alice');
  const room = await alice.directRoom();
  const asked = await alice.say(room, 'count to 4');
  await until('something to be said', async () => ((await inside.head(room, asked))?.tail ?? 0) >= 3);
  const killed = performance.now();
  await stack.functions.worker.kill();
  const head = await inside.ended(room, asked, 90_000);
  expect(head).toMatchObject({ status: 'complete', attempt: 2 });
  await alice.hears(room, '1, 2, 3, 4.');
  const seconds = ((performance.now() - killed) / 1_000).toFixed(1);
  console.log(`from kill -9 of the worker to the reply: ${seconds} s`);
  await inside.idle();
  expect(await alice.heard(room)).toHaveLength(1);
});
