/** A room the bot left, and a room whose words are no longer kept: both go piece by piece, by `sweep`. */
import { describe, expect, it } from 'vitest';
import { capture } from '../../functions/memory/buffer.ts';
import { leaveRoom, returnToRoom, sweepRooms } from '../../functions/memory/leave.ts';
import { putEdit } from '../../functions/memory/messages.ts';
import { refreshRoster } from '../../functions/memory/roster.ts';
import { many, memoryRig, NOW, place, ROOM, said } from './rig.ts';

const DAYS_30 = 30 * 24 * 3_600_000;
const options = { keeps: true, now: NOW, over: () => false, isGone: async (_room: string) => true };

async function full(count = 5) {
  const rig = memoryRig();
  await rig.capture(many(count));
  await putEdit(
    rig.table,
    place,
    { target: '$1', event: '$e', sender: '@ana:hs', body: 'edited', ts: NOW },
    NOW,
  );
  await refreshRoster(rig.deps, ROOM, [{ userId: '@ana:hs', name: 'Ana' }]);
  await rig.compacted('$2', 'c1');
  const sweep = (now: number, more: Partial<typeof options> = {}) =>
    sweepRooms(rig.deps, { ...options, now, ...more });
  return { ...rig, sweep };
}

describe('a room that was left', () => {
  it('is kept until its time, then goes whole', async () => {
    const rig = await full();
    await leaveRoom(rig.deps, ROOM, NOW + DAYS_30);
    const before = rig.rows.all();
    await rig.sweep(NOW + DAYS_30 - 1);
    expect(rig.rows.all()).toEqual(before);
    for (let run = 0; run < 3; run++) await rig.sweep(NOW + DAYS_30);
    expect(rig.rows.all()).toEqual([]);
  });

  it('goes piece by piece, however much there is', async () => {
    const rig = await full(700);
    await leaveRoom(rig.deps, ROOM, NOW);
    await rig.sweep(NOW);
    const left = rig.rows.all().length;
    expect(left).toBeGreaterThan(0);
    for (let run = 0; run < 8; run++) await rig.sweep(NOW);
    expect(rig.rows.all()).toEqual([]);
  });

  it('that the bot came back to is kept', async () => {
    const rig = await full();
    await leaveRoom(rig.deps, ROOM, NOW);
    await returnToRoom(rig.deps, ROOM);
    const before = rig.rows.all();
    await rig.sweep(NOW + DAYS_30);
    expect(rig.rows.all()).toEqual(before);
  });

  it('that the bot turns out to be in is kept', async () => {
    const rig = await full();
    const before = rig.rows.all();
    await leaveRoom(rig.deps, ROOM, NOW);
    const asked: string[] = [];
    const isGone = async (room: string) => {
      asked.push(room);
      return false;
    };
    await rig.sweep(NOW, { isGone });
    expect(asked).toEqual([ROOM]);
    expect(rig.rows.all()).toEqual(before);
  });

  it('takes nothing of another with it', async () => {
    const rig = await full();
    await capture(rig.deps, '!other:hs', [said(1, { body: 'kept' })], NOW);
    await leaveRoom(rig.deps, ROOM, NOW);
    for (let run = 0; run < 3; run++) await rig.sweep(NOW);
    expect(JSON.stringify(rig.rows.all())).toContain('kept');
  });
});

describe('a policy that keeps no words any more', () => {
  it('drops what is uncompacted, unread, and the room is no longer due', async () => {
    const rig = await full();
    await rig.sweep(NOW + DAYS_30, { keeps: false });
    expect(await rig.bodies()).toEqual([]);
    expect(JSON.stringify(rig.rows.all())).not.toMatch(/words [013]/);
    await rig.sweep(NOW + DAYS_30, { keeps: false });
    expect(rig.ledger()).not.toHaveProperty('du');
    expect(await rig.sweep(NOW + DAYS_30, { keeps: false })).toBe(0);
  });

  it('leaves what is compacted', async () => {
    const rig = await full();
    await rig.sweep(NOW + DAYS_30, { keeps: false });
    expect(rig.chunk('c1')).toMatchObject({ summary: 'a summary' });
  });

  it('is another’s matter: under `gate` a due room is left to its compaction', async () => {
    const rig = await full();
    const before = rig.rows.all();
    expect(await rig.sweep(NOW + DAYS_30)).toBe(0);
    expect(rig.rows.all()).toEqual(before);
  });
});

describe('a sweep', () => {
  it('ends when its time is over', async () => {
    const rig = await full();
    await leaveRoom(rig.deps, ROOM, NOW);
    expect(await rig.sweep(NOW, { over: () => true })).toBe(0);
    expect(rig.rows.all().length).toBeGreaterThan(0);
  });
});
