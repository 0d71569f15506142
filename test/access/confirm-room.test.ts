/** The room in which codes are sent: made once, and nobody else in it. */
import { describe, expect, it } from 'vitest';
import type { World } from '../../bin/dev/homeserver/world.ts';
import { confirmInRoom } from '../../functions/access/confirm-room.ts';
import { alice, bob, bot, smallWorld } from '../dev/homeserver/small-world.ts';
import { seededRandom } from '../dev/homeserver/virtual-clock.ts';
import { matrixOver } from '../fakes/matrix.ts';
import { memoryTable } from '../fakes/table.ts';

function house() {
  const { world } = smallWorld();
  let away = false;
  const entered = new Set<string>();
  const matrix = matrixOver(world, undefined, () => away);
  const confirm = confirmInRoom({ table: memoryTable(), matrix, random: seededRandom(), bot });
  const said = (room: string) =>
    world
      .messages(alice, room, { dir: 'b', limit: 20 })
      .chunk.filter(({ type }) => type === 'm.room.message')
      .map(({ content }) => content);
  return {
    world,
    confirm,
    said,
    goAway: () => {
      away = true;
    },
    rooms: () => world.joinedRooms(bot),
    /** The newest room, which alice enters. */
    enter() {
      const room = world.joinedRooms(bot).find((one) => !entered.has(one))!;
      entered.add(room);
      world.join(alice, room);
      return room;
    },
  };
}

describe('the room of a person’s codes', () => {
  it('is made once, and the code is a notice in it', async () => {
    const { confirm, enter, rooms, said } = house();
    expect(await confirm(alice, '111111')).toBe(true);
    expect(await confirm(alice, '222222')).toBe(true);
    const room = enter();
    expect(await confirm(alice, '333333')).toBe(true);
    expect(rooms()).toEqual([room]);
    expect(said(room).map(({ msgtype, body }) => [msgtype, /\d{6}/.exec(body as string)?.[0]])).toEqual([
      ['m.notice', '333333'],
      ['m.notice', '222222'],
      ['m.notice', '111111'],
    ]);
  });

  it('is another for another person', async () => {
    const { confirm, rooms } = house();
    await confirm(alice, '111111');
    await confirm(bob, '222222');
    expect(rooms()).toHaveLength(2);
  });

  it.each<[string, (world: World, room: string) => void]>([
    ['the person left', (world, room) => world.leave(alice, room)],
    ['the bot was taken out of', (world, room) => world.leave(bot, room)],
    ['somebody was invited to', (world, room) => world.invite(bot, room, bob)],
    [
      'somebody joined',
      (world, room) => {
        world.invite(bot, room, bob);
        world.join(bob, room);
      },
    ],
  ])('that %s gets no more codes', async (_, spoil) => {
    const made = house();
    await made.confirm(alice, '111111');
    const room = made.enter();
    spoil(made.world, room);
    expect(await made.confirm(alice, '222222')).toBe(true);
    const next = made.enter();
    expect(next).not.toBe(room);
    expect(JSON.stringify(made.said(next))).toContain('222222');
  });

  it('cannot be opened to others by the person', async () => {
    const { confirm, enter, world } = house();
    await confirm(alice, '111111');
    const room = enter();
    for (const [type, content] of [
      ['m.room.join_rules', { join_rule: 'public' }],
      ['m.room.history_visibility', { history_visibility: 'world_readable' }],
    ] as const)
      expect(() => world.setState(alice, room, type, '', content)).toThrow();
  });

  it('is not reached while the homeserver is away', async () => {
    const { confirm, goAway } = house();
    goAway();
    expect(await confirm(alice, '111111')).toBe(false);
  });
});
