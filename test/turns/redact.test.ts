/** A redaction, in each state the turn can be in that answers the redacted message. */
import { describe, expect, it } from 'vitest';
import { history, putSaid } from '../../functions/turns/conversation.ts';
import { keys } from '../../functions/turns/keys.ts';
import { getMeta, type Meta } from '../../functions/turns/meta.ts';
import { allParts, putPart, REFUSED, setPartEvent } from '../../functions/turns/parts.ts';
import { createPump, type Pump } from '../../functions/turns/pump.ts';
import { redactTurn } from '../../functions/turns/redact.ts';
import { createQueued } from '../../functions/turns/start.ts';
import { closeForeign } from '../../functions/turns/takeover.ts';
import { message, say } from './pumping.ts';
import { CONVERSATION, metaOf, queued, type Rig, START, started, turnId, turnRig } from './rig.ts';

const done = { over: true, answers: [] };

/** A running turn that answers these messages, its own first. */
async function answering(rig: Rig, meta: Meta, others: readonly string[] = []) {
  const { turn, head } = await started(rig, 'T', meta);
  const pump = createPump({ ...rig.deps, turn, head, queued: true });
  pump.emit({ type: 'start', messages: [turn, ...others] });
  pump.emit(say('the words'));
  await pump.flush();
  return { turn, pump };
}

async function complete(pump: Pump): Promise<void> {
  await pump.deliver([{ type: 'step-end', last: true }]);
  await pump.close('complete', { ...message, content: 'the words' });
}

/** Whether the words stand anywhere in the table. */
const stands = (rig: Rig, words: string) => JSON.stringify(rig.rows.all()).includes(words);

describe('a redaction of the message of', () => {
  it('a turn that is not there forbids it', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    expect(await redactTurn(rig.deps, turnId('T'), meta)).toEqual(done);
    await createQueued(rig.table, turnId('T'), meta);
    expect(rig.head(turnId('T'))).toMatchObject({ status: 'cancelled', reason: 'redacted', tail: 1 });
    expect(stands(rig, 'secret')).toBe(false);
  });

  it('a queued turn ends it', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const turn = await queued(rig, 'T', meta);
    await redactTurn(rig.deps, turn, meta);
    await rig.clock.advance(17 * 60_000);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual(done);
    expect(rig.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted', forgotten: true });
    expect(stands(rig, 'secret')).toBe(false);
  });

  it('a running turn cancels it, and comes back when it is over', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const { turn, pump } = await answering(rig, meta);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: false, answers: [] });
    expect(rig.head(turn).cancelAsked).toBe(START);
    await pump.close('cancelled', message, 'redacted');
    // An owner that sleeps may still put a segment.
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: false, answers: [] });
    await rig.clock.advance(17 * 60_000);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual(done);
    expect(stands(rig, 'the words')).toBe(false);
  });

  it('a running turn with another message left leaves it be', async () => {
    const rig = turnRig();
    const [meta, other] = [metaOf({ input: 'secret' }), metaOf({ input: 'kept' })];
    const along = await queued(rig, 'U', other);
    const { turn, pump } = await answering(rig, meta, [along]);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual(done);
    expect(rig.head(turn).cancelAsked).toBeUndefined();
    expect([stands(rig, 'secret'), stands(rig, 'kept')]).toEqual([false, true]);
    await pump.stop();
  });

  it('a turn taken along acts on the turn it went into', async () => {
    const rig = turnRig();
    const [meta, other] = [metaOf({ input: 'first' }), metaOf({ input: 'secret' })];
    const along = await queued(rig, 'U', other);
    const { turn, pump } = await answering(rig, meta, [along]);
    await closeForeign(rig.deps, along, rig.head(along), {
      status: 'cancelled',
      reason: 'merged',
      into: turn,
    });
    expect(await redactTurn(rig.deps, along, other)).toEqual(done);
    expect(rig.head(turn).cancelAsked).toBeUndefined();
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: false, answers: [] });
    expect(rig.head(turn).cancelAsked).toBe(START);
    await pump.stop();
  });

  it('a turn that waits for a person ends it', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const { turn, pump } = await answering(rig, meta);
    await pump.wait([{ type: 'step-end' }], START + 1e6);
    await pump.stop();
    await redactTurn(rig.deps, turn, meta);
    expect(rig.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted', forgotten: true });
    expect(stands(rig, 'the words')).toBe(false);
  });

  it('a delivery is too late: the redaction waits for its end', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const { turn, pump } = await answering(rig, meta);
    await pump.deliver([{ type: 'step-end', last: true }]);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: false, answers: [] });
    expect(rig.head(turn)).toMatchObject({ status: 'running', cancelAsked: undefined });
    expect((await getMeta(rig.table, turn))!.input).toBeUndefined();
    await pump.stop();
  });

  it('a finished turn forgets its log, FINAL, parts and the answer in history', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const { turn, pump } = await answering(rig, meta);
    const source = meta.source.kind === 'matrix' ? meta.source : undefined;
    const answer = { role: 'assistant', at: START, order: meta.order, event: `${source!.event}~` } as const;
    for (const [name, event] of [
      ['a#0', '$sent'],
      ['a#1', REFUSED],
      ['draft#0', undefined],
    ] as const) {
      await putPart(rig.table, turn, name, { body: 'the words' }, 9);
      if (event) await setPartEvent(rig.table, turn, name, event);
    }
    await putSaid(rig.table, CONVERSATION, { ...answer, text: 'the words' }, START);
    await complete(pump);
    await rig.clock.advance(17 * 60_000);
    expect(stands(rig, 'the words')).toBe(true);
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: true, answers: ['$sent'] });
    expect([stands(rig, 'the words'), stands(rig, 'secret')]).toEqual([false, false]);
    expect(rig.head(turn)).toMatchObject({
      status: 'complete',
      forgotten: true,
      hot: '[]',
      base: rig.head(turn).tail,
    });
    expect(await history(rig.table, CONVERSATION, 9)).toEqual([]);
    expect((await allParts(rig.table, turn)).map(({ event }) => event)).toEqual([
      '$sent',
      REFUSED,
      undefined,
    ]);
    // And again, from the top.
    expect(await redactTurn(rig.deps, turn, meta)).toEqual({ over: true, answers: ['$sent'] });
  });

  it('a finished turn leaves no place for a segment that comes late', async () => {
    const rig = turnRig();
    const meta = metaOf({ input: 'secret' });
    const { turn, pump } = await answering(rig, meta);
    await complete(pump);
    const segment = rig.rows.all().find(({ sk }) => sk.startsWith('S#'))!;
    await redactTurn(rig.deps, turn, meta);
    const late = {
      op: 'segment',
      row: segment,
      when: { is: '<=', name: 'n', value: segment.n as number },
    } as const;
    expect(await rig.table.put(late)).toBe('refused');
    expect(rig.rows.get(keys.segment(turn, rig.head(turn).tail, 1))).not.toHaveProperty('h');
  });

  it('a finished turn whose segments are gone counts as having none left', async () => {
    const rig = turnRig();
    const [meta, other] = [metaOf({ input: 'secret' }), metaOf({ input: 'kept' })];
    const along = await queued(rig, 'U', other);
    const { turn, pump } = await answering(rig, meta, [along]);
    await complete(pump);
    for (const { pk, sk } of rig.rows.all().filter((row) => row.sk.startsWith('S#')))
      await rig.table.remove({ op: 'expired', key: { pk, sk } });
    await redactTurn(rig.deps, turn, meta);
    expect(rig.head(turn).forgotten).toBe(true);
  });
});
