/** The members of a room as memory lists them. */
import { describe, expect, it } from 'vitest';
import { type RosterMember, refreshRoster, roster } from '../../functions/memory/roster.ts';
import { memoryRig, ROOM } from './rig.ts';

const ana = { userId: '@ana:hs', name: 'Ana' };
const ben = { userId: '@ben:hs', name: 'Ben' };

describe('the roster', () => {
  const refresh = (rig: ReturnType<typeof memoryRig>, ...members: RosterMember[]) =>
    refreshRoster(rig.deps, ROOM, members);

  it('has those first who spoke last', async () => {
    const rig = memoryRig();
    await refresh(rig, ana, { ...ben, spokeAt: 5 }, { userId: '@cem:hs', name: 'Cem', spokeAt: 9 });
    expect((await roster(rig.deps, ROOM)).map(({ name }) => name)).toEqual(['Cem', 'Ben', 'Ana']);
    await refresh(rig, { ...ana, spokeAt: 20 }, ben, { userId: '@cem:hs', name: 'Cem' });
    expect((await roster(rig.deps, ROOM)).map(({ name }) => name)).toEqual(['Ana', 'Cem', 'Ben']);
  });

  it('loses who left and learns new names', async () => {
    const rig = memoryRig();
    await refresh(rig, ana, ben);
    await refresh(rig, { ...ana, name: 'Anastasia' });
    expect(await roster(rig.deps, ROOM)).toEqual([{ userId: '@ana:hs', name: 'Anastasia' }]);
  });

  it('has 200 at most, those who spoke last', async () => {
    const rig = memoryRig();
    const members = Array.from({ length: 250 }, (_, n) => ({
      userId: `@u${n}:hs`,
      name: `U${n}`,
      spokeAt: n,
    }));
    await refresh(rig, ...members);
    const listed = await roster(rig.deps, ROOM);
    expect(listed).toHaveLength(200);
    expect([listed[0]!.name, listed.at(-1)!.name]).toEqual(['U249', 'U50']);
  });

  it('writes only what differs', async () => {
    const rig = memoryRig();
    await refresh(rig, { ...ana, spokeAt: 5 }, ben);
    const before = rig.rows.all();
    let writes = 0;
    const table = {
      ...rig.table,
      update: () => expect.fail(`${++writes}`),
      remove: () => expect.fail('removed'),
    };
    await refreshRoster({ ...rig.deps, table }, ROOM, [{ ...ana, spokeAt: 5 }, ben]);
    expect(rig.rows.all()).toEqual(before);
  });

  it('is each room’s own', async () => {
    const rig = memoryRig();
    await refresh(rig, ana);
    expect(await roster(rig.deps, '!other:hs')).toEqual([]);
  });
});
