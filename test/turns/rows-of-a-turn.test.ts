/** The other rows of a turn and of its conversation: META, CONSENT, PART, PARTS, T#, Y#. Each is put once. */
import { describe, expect, it } from 'vitest';
import { getConsent, putConsent } from '../../functions/turns/consent.ts';
import {
  countUnfinished,
  dropUnfinished,
  hasEarlier,
  history,
  putSaid,
  putUnfinished,
  unfinishedAfter,
  unsay,
} from '../../functions/turns/conversation.ts';
import { forgetInput, getMeta, getMetas, putMeta } from '../../functions/turns/meta.ts';
import {
  allParts,
  askedSeq,
  askPart,
  committedParts,
  fixParts,
  forgetPart,
  getPart,
  putPart,
  setPartEvent,
} from '../../functions/turns/parts.ts';
import { closeForeign } from '../../functions/turns/takeover.ts';
import { CONVERSATION, metaOf, queued, START, turnId, turnRig } from './rig.ts';

const T = turnId('T');

describe('META', () => {
  it('keeps everything, and what is there stands', async () => {
    const { table } = turnRig();
    const meta = metaOf({ traceparent: '00-a-b-01' });
    await putMeta(table, T, meta);
    await putMeta(table, T, { ...meta, input: 'other' });
    expect(await getMeta(table, T)).toEqual(meta);
    expect(await getMeta(table, turnId('U'))).toBeUndefined();
    expect([...(await getMetas(table, [T, turnId('U')])).keys()]).toEqual([T]);
  });

  it('loses its input and the hash of it', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    await putMeta(rig.table, T, meta);
    await forgetInput(rig.table, T, meta);
    const { input: _, ...without } = meta;
    expect(await getMeta(rig.table, T)).toEqual(without);
    expect(rig.row(T, 'META')).not.toHaveProperty('ih');
    await forgetInput(rig.table, T, meta);
  });

  it('may be forgotten before it is there: a late one is refused', async () => {
    const { table } = turnRig();
    const meta = metaOf({ input: 'secret' });
    await forgetInput(table, T, meta);
    await putMeta(table, T, meta);
    expect((await getMeta(table, T))!.input).toBeUndefined();
  });
});

describe('CONSENT', () => {
  it('is the first one', async () => {
    const { table } = turnRig();
    expect(await getConsent(table, T, 4)).toBeUndefined();
    const yes = { by: '@ana:hs', choice: 'yes', at: 1 } as const;
    expect(await putConsent(table, T, 4, yes, 9)).toEqual(yes);
    expect(await putConsent(table, T, 4, { by: 'sweep', choice: 'no', at: 2 }, 9)).toEqual(yes);
    expect(await getConsent(table, T, 4)).toEqual(yes);
    expect(await getConsent(table, T, 5)).toBeUndefined();
  });
});

describe('PART', () => {
  it('is put once and keeps its first event', async () => {
    const { table } = turnRig();
    await setPartEvent(table, T, 'a#0', '$early');
    expect(await getPart(table, T, 'a#0')).toBeUndefined();
    await putPart(table, T, 'a#0', { body: 'first' }, 9);
    await putPart(table, T, 'a#0', { body: 'second' }, 9);
    await setPartEvent(table, T, 'a#0', '$1');
    await setPartEvent(table, T, 'a#0', '$2');
    expect(await getPart(table, T, 'a#0')).toEqual({ name: 'a#0', content: { body: 'first' }, event: '$1' });
  });

  it('forgotten keeps its event, so that nothing is sent in its place', async () => {
    const { table } = turnRig();
    await putPart(table, T, 'a#0', { body: 'first' }, 9);
    await setPartEvent(table, T, 'a#0', '$1');
    await forgetPart(table, T, 'a#0');
    await putPart(table, T, 'a#0', { body: 'again' }, 9);
    expect(await allParts(table, T)).toEqual([{ name: 'a#0', event: '$1' }]);
    await forgetPart(table, T, 'b#0');
    expect(await allParts(table, T)).toHaveLength(1);
  });

  it('of a question names its seq', () => {
    expect(askPart(12)).toBe('ask#12');
    expect(['ask#12', 'ask#', 'ask#1x', 'note#0', 'abc#1', 'ask#12345678901'].map(askedSeq)).toEqual([
      12,
      ...Array.from({ length: 5 }, () => undefined),
    ]);
  });
});

describe('PARTS', () => {
  const split = (bodies: readonly string[]) => (set: string) =>
    bodies.map((body) => ({ body, name: `${set}#?` }));
  const named = (content: { body: string; name: string }, name: string) => ({ ...content, name });

  it('fixes the split behind its parts; another split later changes nothing', async () => {
    const rig = turnRig();
    const names = await fixParts(rig.table, T, split(['one', 'two']), named, 9);
    expect(rig.writes.map(({ op }) => op)).toEqual(['part', 'part', 'parts']);
    expect(names).toHaveLength(2);
    expect(names.map((name) => name.slice(-2))).toEqual(['#0', '#1']);
    expect((await getPart(rig.table, T, names[1]!))!.content).toEqual({ body: 'two', name: names[1] });
    expect(await fixParts(rig.table, T, split(['other']), named, 9)).toEqual(names);
    expect(await committedParts(rig.table, T)).toEqual(names);
  });

  it('is the first split of two at once; parts of the other are never sent', async () => {
    const rig = turnRig();
    let first: string[] = [];
    rig.before('parts', async () => {
      first = await fixParts(rig.table, T, split(['one']), named, 9);
    });
    expect(await fixParts(rig.table, T, split(['an', 'other']), named, 9)).toEqual(first);
    expect(first).toHaveLength(1);
  });

  it('has the same name for the same split', async () => {
    const [a, b] = [turnRig(), turnRig()];
    expect(await fixParts(a.table, T, split(['one']), named, 9)).toEqual(
      await fixParts(b.table, T, split(['one']), named, 9),
    );
  });
});

describe('T#', () => {
  it('stands in order; what is behind a turn and before it', async () => {
    const rig = turnRig();
    const metas = [metaOf(), metaOf(), metaOf()];
    const turns = [];
    for (const [index, meta] of metas.entries()) turns.push(await queued(rig, `T${index}`, meta));
    expect(await unfinishedAfter(rig.table, turns[0]!, metas[0]!, 10)).toEqual(turns.slice(1));
    expect(await unfinishedAfter(rig.table, turns[0]!, metas[0]!, 1)).toEqual([turns[1]]);
    expect(await unfinishedAfter(rig.table, turns[2]!, metas[2]!, 10)).toEqual([]);
    expect([await hasEarlier(rig.table, metas[0]!), await hasEarlier(rig.table, metas[2]!)]).toEqual([
      false,
      true,
    ]);
  });

  it('of a turn that is over is no earlier one', async () => {
    const rig = turnRig();
    const [first, second] = [metaOf(), metaOf()];
    const turn = await queued(rig, 'T0', first);
    await queued(rig, 'T1', second);
    await closeForeign(rig.deps, turn, rig.head(turn), { status: 'cancelled', reason: 'stopped' });
    await putUnfinished(rig.table, turn, first);
    expect(await hasEarlier(rig.table, second)).toBe(false);
    await dropUnfinished(rig.table, turn, first);
    await dropUnfinished(rig.table, turn, first);
  });

  it('is counted; HEADs are read only at the limit', async () => {
    const rig = turnRig();
    const metas = [metaOf(), metaOf(), metaOf()];
    for (const [index, meta] of metas.entries()) await queued(rig, `T${index}`, meta);
    expect(await countUnfinished(rig.table, CONVERSATION, 4)).toBe(0);
    expect(await countUnfinished(rig.table, CONVERSATION, 3)).toBe(3);
    await closeForeign(rig.deps, turnId('T1'), rig.head(turnId('T1')), { status: 'cancelled', reason: 'x' });
    await putUnfinished(rig.table, turnId('T1'), metas[1]!);
    expect(await countUnfinished(rig.table, CONVERSATION, 3)).toBe(2);
  });
});

describe('Y#', () => {
  const said = (n: number) =>
    ({ role: 'user', at: n, order: `o${n}`, event: `$${n}`, text: `word ${n}` }) as const;

  it('is put once, and read oldest first, the newest of them', async () => {
    const { table } = turnRig();
    for (const n of [2, 1, 3]) await putSaid(table, CONVERSATION, said(n), START);
    await putSaid(table, CONVERSATION, { ...said(2), text: 'other' }, START);
    expect(await history(table, CONVERSATION, 2)).toEqual([said(2), said(3)]);
    await putSaid(table, CONVERSATION, { ...said(4), name: 'Ana', sender: '@ana:hs' }, START);
    expect((await history(table, CONVERSATION, 1))[0]).toEqual({
      ...said(4),
      name: 'Ana',
      sender: '@ana:hs',
    });
  });

  it('has the answer right behind the message it answers', async () => {
    const { table } = turnRig();
    await putSaid(table, CONVERSATION, { ...said(1), role: 'assistant', event: '$1~' }, START);
    await putSaid(table, CONVERSATION, said(1), START);
    await putSaid(table, CONVERSATION, said(2), START);
    expect((await history(table, CONVERSATION, 9)).map(({ event }) => event)).toEqual(['$1', '$1~', '$2']);
  });

  it('unsaid is gone, and stays out', async () => {
    const { table } = turnRig();
    await putSaid(table, CONVERSATION, { ...said(1), name: 'Ana' }, START);
    for (const n of [1, 2]) await unsay(table, CONVERSATION, said(n), START);
    await putSaid(table, CONVERSATION, said(2), START);
    expect(await history(table, CONVERSATION, 9)).toEqual([]);
  });
});
