/** Two of our own stacks in one room and no human: they answer each other at once, and then they stop. */
import { expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { LIMITS } from '../../functions/gate/options.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { FlowSystem } from '../model/flow/system.ts';
import { play } from './stage.ts';

const OTHER = '@other:hs';

it('two stacks stop', async () => {
  let said = 0;
  const reasons = new Set<string | undefined>();
  await play(async (stage) => {
    const { world, system } = stage;
    const { rooms } = system;
    rooms.register('other');
    const other = new FlowSystem(world, {}, LIMITS, 10, { rooms, bot: OTHER });
    const room = rooms.createRoom('@bot:hs', { preset: 'private_chat', invite: [OTHER] });
    rooms.join(OTHER, room);
    const first = rooms.send(OTHER, room, 'm.room.message', { msgtype: 'm.text', body: 'hello' });
    let from = rooms.timeline(room).findIndex(({ id }) => id === first);
    for (let quiet = 0; quiet < 3 && said < 500; ) {
      const fresh = rooms.timeline(room).slice(from);
      from += fresh.length;
      said += fresh.length;
      quiet = fresh.length === 0 ? quiet + 1 : 0;
      const events = fresh.map(({ id }) => stage.pushed(room, id));
      await stage.run((process) => system.take(process, events));
      await stage.run((process) => other.take(process, events));
      await stage.work();
      await stage.work(undefined, other);
      await world.pause(undefined, 1_000);
    }
    for (const one of [system, other])
      for (const { id } of rooms.timeline(room))
        reasons.add(recordOf(one.gate.get(keys.record(room, id))).decided?.reason);
  });
  expect(said).toBeGreaterThan(10);
  expect(said).toBeLessThan(60);
  expect(reasons).toContain('loop');
});
