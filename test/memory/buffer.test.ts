/** The buffer of a room: each message once, in order of time; when the room is due; what its last messages are. */
import { describe, expect, it } from 'vitest';
import { capture, isUncompacted, recent } from '../../functions/memory/buffer.ts';
import { erase } from '../../functions/memory/erase.ts';
import { shards } from '../../functions/runtime/table.ts';
import { many, memoryRig, NOW, ROOM, said } from './rig.ts';

describe('a message', () => {
  it('is kept with everything that is known of it', async () => {
    const rig = memoryRig();
    const message = said(1, { thread: '$root', bot: true });
    await rig.capture([message]);
    expect(await recent(rig.deps, ROOM, 9)).toEqual([{ ...message, redacted: false, revision: 0 }]);
  });

  it('is there once, however often and beside whatever it comes', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await rig.capture([said(1, { body: 'other' }), said(2)]);
    expect(await rig.bodies()).toEqual(['words 1', 'words 2']);
    expect(rig.pointers()).toHaveLength(2);
  });

  it('stands in order of time, then of arrival', async () => {
    const rig = memoryRig();
    await rig.capture([said(3), said(1)]);
    await rig.capture([said(2), said(4, { at: said(1).at, order: 'order0000' })]);
    expect(await rig.bodies()).toEqual(['words 4', 'words 1', 'words 2', 'words 3']);
  });

  it('that is in a chunk is not captured again', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await rig.compacted('$1', 'c1');
    await rig.capture([said(1)]);
    expect([await rig.bodies(), rig.pointers()]).toEqual([[], []]);
  });

  it('that was redacted before it came is not captured', async () => {
    const rig = memoryRig();
    await erase(rig.deps, ROOM, '$1', NOW);
    await rig.capture([said(1)]);
    expect([await rig.bodies(), rig.pointers()]).toEqual([[], []]);
    expect(JSON.stringify(rig.rows.all())).not.toContain('words 1');
  });

  it('of another tenant or room is another’s', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    expect(await recent({ ...rig.deps, tenant: 'other' }, ROOM, 9)).toEqual([]);
    expect(await recent(rig.deps, '!other:hs', 9)).toEqual([]);
  });
});

describe('a room is due', () => {
  it('five minutes after its first message, not its last', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    expect(rig.ledger()).toMatchObject({ du: NOW + 300_000, seq: 1, room: ROOM, tenant: 'hs' });
    expect(shards).toContain(rig.ledger()!.sh);
    await rig.capture([said(2)], NOW + 60_000);
    expect(rig.ledger()).toMatchObject({ du: NOW + 300_000, seq: 2 });
  });

  it('at once at twenty people’s messages', async () => {
    const rig = memoryRig();
    await rig.capture(many(19));
    expect(rig.ledger()!.du).toBe(NOW + 300_000);
    await rig.capture([said(19)], NOW + 5_000);
    expect(rig.ledger()!.du).toBe(NOW + 5_000);
    await rig.capture([said(20, { bot: true })], NOW + 9_000);
    expect(rig.ledger()!.du).toBe(NOW + 5_000);
  });

  it('not by a bot’s: they count neither towards twenty nor hasten it', async () => {
    const rig = memoryRig();
    await rig.capture(many(30, { bot: true }));
    await rig.capture([said(100)]);
    expect(rig.ledger()!.du).toBe(NOW + 300_000);
    await rig.capture(many(19).map((one, n) => ({ ...one, event: `$p${n}` })));
    expect(rig.ledger()!.du).toBe(NOW);
  });

  it('once for all that is captured together, and not for nothing', async () => {
    const rig = memoryRig();
    await rig.capture([]);
    expect(rig.ledger()).toBeUndefined();
    await rig.capture(many(5));
    expect(rig.ledger()!.seq).toBe(1);
  });

  it('by what was read before a crash, too: a repetition is harmless', async () => {
    const rig = memoryRig();
    await rig.capture(many(20));
    await rig.capture(many(20));
    expect([rig.pointers().length, (await rig.bodies()).length]).toEqual([20, 20]);
  });
});

describe('the last messages', () => {
  it('are the newest, oldest first', async () => {
    const rig = memoryRig();
    await rig.capture(many(9));
    expect(await rig.bodies(3)).toEqual(['words 6', 'words 7', 'words 8']);
  });

  it('are without what is redacted or in a chunk, though its pointer strays', async () => {
    const rig = memoryRig();
    await rig.capture(many(4));
    const pointers = rig.pointers();
    await erase(rig.deps, ROOM, '$1', NOW);
    await rig.compacted('$2', 'c1');
    for (const row of pointers) rig.rows.put({ op: 'stray', row });
    expect(await rig.bodies()).toEqual(['words 0', 'words 3']);
    expect(isUncompacted(rig.message('$2')!)).toBe(false);
  });

  it('are filled up with those of the room it replaced', async () => {
    const rig = memoryRig();
    const old = '!old:hs';
    const before = many(5).map((one) => ({ ...one, event: `$old${one.event}`, body: `old ${one.body}` }));
    await capture(rig.deps, old, before, NOW);
    await rig.capture([said(100), said(101)]);
    const bodies = async (limit: number) =>
      (await recent(rig.deps, ROOM, limit, old)).map(({ body }) => body);
    expect(await bodies(4)).toEqual(['old words 3', 'old words 4', 'words 100', 'words 101']);
    expect(await bodies(2)).toEqual(['words 100', 'words 101']);
    expect(await bodies(1)).toEqual(['words 101']);
  });
});
