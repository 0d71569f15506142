/** Edits of a message, before it and behind it, and what a redaction takes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { erase } from '../../functions/memory/erase.ts';
import { keys } from '../../functions/memory/keys.ts';
import { type Edit, putEdit, redactEdit } from '../../functions/memory/messages.ts';
import { memoryRig, NOW, place, ROOM, said } from './rig.ts';

type Rig = ReturnType<typeof memoryRig>;

const edit = (n: number, more: Partial<Edit> = {}): Edit => ({
  target: '$1',
  event: `$edit${n}`,
  sender: '@ana:hs',
  body: `edited ${n}`,
  ts: NOW + n,
  ...more,
});
const put = (rig: Rig, ...edits: Edit[]) =>
  edits.reduce((before, one) => before.then(() => putEdit(rig.table, place, one, NOW)), Promise.resolve());
const body = (rig: Rig) => rig.message('$1')?.body;

describe('an edit', () => {
  it('is the message’s words, and the first ones stay beside it', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await put(rig, edit(1));
    expect(rig.message('$1')).toMatchObject({ body: 'edited 1', first: 'words 1', rev: 1 });
    expect(await rig.bodies()).toEqual(['edited 1']);
  });

  it('that comes before its message waits for it', async () => {
    const rig = memoryRig();
    await put(rig, edit(1));
    expect(rig.message('$1')).toBeUndefined();
    await rig.capture([said(1)]);
    expect(rig.message('$1')).toMatchObject({ body: 'edited 1', first: 'words 1' });
  });

  it('again is no edit', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await put(rig, edit(1), edit(1), edit(1, { body: 'another' }));
    expect(rig.message('$1')).toMatchObject({ body: 'edited 1', rev: 1 });
  });

  it('of somebody else does nothing', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await put(rig, edit(1, { sender: '@ben:hs' }));
    expect(rig.message('$1')).toMatchObject({ body: 'words 1', rev: 0 });
  });

  it('is the newest by time, then by id, whatever the order they come in', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(
          [
            edit(1),
            edit(2),
            edit(3),
            edit(4, { ts: NOW + 3, event: '$edit3b' }),
            edit(9, { sender: '@ben:hs' }),
          ],
          { minLength: 1 },
        ),
        fc.nat(5),
        async (edits, when) => {
          const rig = memoryRig();
          await put(rig, ...edits.slice(0, when));
          await rig.capture([said(1)]);
          await put(rig, ...edits.slice(when));
          const valid = edits.filter(({ sender }) => sender === '@ana:hs');
          const newest = valid.sort((a, b) => a.ts - b.ts || (a.event < b.event ? -1 : 1)).at(-1);
          expect(body(rig)).toBe(newest?.body ?? 'words 1');
        },
      ),
      { seed: 1, numRuns: 150 },
    );
  });
});

describe('a redaction of an edit', () => {
  it('gives the words back to the one before it, then to the first', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await put(rig, edit(1), edit(2));
    await redactEdit(rig.table, place, '$1', '$edit2', NOW);
    expect(body(rig)).toBe('edited 1');
    await redactEdit(rig.table, place, '$1', '$edit1', NOW);
    expect(body(rig)).toBe('words 1');
    expect(JSON.stringify(rig.rows.all())).not.toContain('edited');
  });

  it('that comes before it refuses it', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await redactEdit(rig.table, place, '$1', '$edit1', NOW);
    await put(rig, edit(1));
    expect(body(rig)).toBe('words 1');
    expect(JSON.stringify(rig.rows.all())).not.toContain('edited');
  });
});

describe('a redaction of a message', () => {
  it('takes its words, its first ones, its name and its edits’, and keeps the row', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await put(rig, edit(1));
    await erase(rig.deps, ROOM, '$1', NOW);
    expect(rig.message('$1')).toMatchObject({ red: true, sn: '@ana:hs' });
    expect(JSON.stringify(rig.rows.all())).not.toMatch(/words|edited|Ana"/);
    expect(rig.pointers()).toEqual([]);
    await erase(rig.deps, ROOM, '$1', NOW);
  });

  it('takes an edit that comes late', async () => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await erase(rig.deps, ROOM, '$1', NOW);
    await put(rig, edit(1));
    expect(JSON.stringify(rig.rows.all())).not.toContain('edited');
  });

  it('of what never came leaves a tombstone for 30 days', async () => {
    const rig = memoryRig();
    await erase(rig.deps, ROOM, '$1', NOW);
    expect(rig.message('$1')).toMatchObject({ red: true, ex: NOW / 1_000 + 30 * 24 * 3_600 });
  });
});

describe('a chunk', () => {
  const chunked = async (more: object = {}) => {
    const rig = memoryRig();
    await rig.capture([said(1)]);
    await rig.compacted('$1', 'c1', more);
    return rig;
  };

  it('of an edited message whose words are held is dirty, and the room due', async () => {
    const rig = await chunked();
    const { seq } = rig.ledger()!;
    await put(rig, edit(1));
    expect(body(rig)).toBe('edited 1');
    expect(rig.chunk('c1')).toMatchObject({ dirty: true, rev: 2, summary: 'a summary' });
    expect(rig.ledger()!.seq).toBe((seq as number) + 1);
    expect(rig.ledger()!.du).toBeLessThanOrEqual(NOW + 300_000);
  });

  it('whose words are no longer held is left alone by an edit', async () => {
    const rig = await chunked();
    await rig.table.update({ op: 'strip', key: keys.message(place, '$1'), remove: ['body', 'first'] });
    await put(rig, edit(1));
    expect(rig.message('$1')).not.toHaveProperty('body');
    expect(rig.chunk('c1')).toMatchObject({ rev: 1, summary: 'a summary' });
    expect(rig.chunk('c1')).not.toHaveProperty('dirty');
  });

  it('of a redacted message is hidden and dirty, its summary gone, and so are those above it', async () => {
    const rig = await chunked({ parent: 'c2' });
    await rig.table.put({ op: 'c2', row: { ...keys.chunk(place, 'c2'), summary: 'above', rev: 4 } });
    await erase(rig.deps, ROOM, '$1', NOW + 5);
    for (const [chunk, rev] of [
      ['c1', 2],
      ['c2', 5],
    ] as const) {
      expect(rig.chunk(chunk)).toMatchObject({ hidden: true, dirty: true, ob: true, rev });
      expect(rig.chunk(chunk)).not.toHaveProperty('summary');
    }
    expect(rig.ledger()).toMatchObject({ du: NOW + 5 });
  });

  it('that is still being made is hidden before it is there', async () => {
    const rig = memoryRig();
    await rig.capture([said(1), said(2)]);
    const open = JSON.stringify({ chunk: 'c9', summary: 'words 1', members: [['$1', 0]] });
    await rig.table.update({ op: 'open', key: keys.ledger(place), set: { open } });
    await erase(rig.deps, ROOM, '$2', NOW);
    expect(rig.chunk('c9')).toBeUndefined();
    await erase(rig.deps, ROOM, '$1', NOW);
    expect(rig.chunk('c9')).toMatchObject({ hidden: true, dirty: true });
  });
});
