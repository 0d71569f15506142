/** A follower: what it is shown from where it stands, how it ends, what it tells the writer, and when it looks again. */
import { afterEach, describe, expect, it } from 'vitest';
import { BEGINNING, type Cursor } from '../../functions/turns/cursor.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { attach } from '../../functions/turns/follow.ts';
import { headChange } from '../../functions/turns/head.ts';
import { keys } from '../../functions/turns/keys.ts';
import type { Line } from '../../functions/turns/lines.ts';
import { createPump, type Pump } from '../../functions/turns/pump.ts';
import { forgetLog } from '../../functions/turns/redact.ts';
import { closeForeign, takeOver } from '../../functions/turns/takeover.ts';
import { message, say } from './pumping.ts';
import { queued, type Rig, started, turnId, turnRig } from './rig.ts';

const LONG_MS = 10 * 60_000;
const at = (attempt: number, seq: number): Cursor => ({ attempt, seq });

type Following = {
  rig: Rig;
  turn: string;
  lines: Line[];
  nudges: string[];
  over: () => boolean;
  looks: number[];
};

/** Follows in the background; the lines are there once time has gone by. */
async function follow(
  rig: Rig,
  turn: string,
  after = BEGINNING,
  options: { ms?: number; signal?: AbortSignal } = {},
) {
  const [lines, nudges, looks]: [Line[], string[], number[]] = [[], [], []];
  let over = false;
  const { clock } = rig;
  const table = { ...rig.table };
  table.get = (key) => {
    if (key.sk === 'HEAD') looks.push(clock.monotonic());
    return rig.table.get(key);
  };
  const deps = { ...rig.deps, table, nudge: async (id: string) => void nudges.push(id) };
  const until = clock.monotonic() + (options.ms ?? LONG_MS);
  const attached = await attach(deps, turn, {
    after,
    until,
    ...(options.signal && { signal: options.signal }),
  });
  if (attached.kind !== 'following') throw new Error(attached.kind);
  const following: Following = { rig, turn, lines, nudges, looks, over: () => over };
  running.push(
    (async () => {
      for await (const line of attached.lines) lines.push(line);
      over = true;
    })(),
  );
  return following;
}
const running: Promise<void>[] = [];
const pumps: Pump[] = [];
afterEach(async () => {
  for (const pump of pumps.splice(0)) await pump.stop();
});

async function pumped(rig: Rig, name = 'T') {
  const { turn, head } = await started(rig, name);
  const pump = createPump({ ...rig.deps, turn, head, queued: true });
  pumps.push(pump);
  return { turn, pump };
}

/** A turn that said these words, one write each, and is complete. */
async function complete(rig: Rig, ...words: string[]): Promise<string> {
  const { turn, pump } = await pumped(rig);
  for (const word of words) {
    pump.emit(say(word));
    await pump.flush();
  }
  await pump.close('complete', message);
  return turn;
}

const attached = (rig: Rig, turn: string, after: Cursor) =>
  attach({ ...rig.deps, nudge: async () => undefined }, turn, { after, until: LONG_MS }).then(
    ({ kind }) => kind,
  );

describe('attaching', () => {
  it('to a turn that is not there, or is over its time, is unknown', async () => {
    const rig = turnRig();
    expect(await attached(rig, turnId('none'), BEGINNING)).toBe('unknown');
    const turn = await complete(rig, 'a');
    await rig.table.update({ op: 'u', key: keys.head(turn), ...headChange({ expires: 1 }) });
    expect(await attached(rig, turn, BEGINNING)).toBe('unknown');
  });

  it('at the end of a finished turn is the end; beyond it a bad cursor', async () => {
    const rig = turnRig();
    const turn = await complete(rig, 'a');
    expect(rig.head(turn).tail).toBe(3);
    expect(await attached(rig, turn, at(1, 3))).toBe('ended');
    expect(await attached(rig, turn, at(1, 2))).toBe('following');
    expect(await attached(rig, turn, at(1, 4))).toBe('bad cursor');
    expect(await attached(rig, turn, at(2, 1))).toBe('bad cursor');
  });

  it('ahead of a running turn waits for it', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    const one = await follow(rig, turn, at(1, 2));
    await rig.clock.advance(500);
    expect(one.lines).toEqual([]);
    for (const word of ['a', 'b', 'c']) pump.emit(say(word));
    await rig.clock.advance(500);
    expect(one.lines).toMatchObject([{ text: 'c', from: 3, cursor: '1.3' }, { type: 'caught-up' }]);
  });
});

describe('the lines', () => {
  it('replay with merged rows, go on live behind caught-up, and end with turn_status', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    for (const word of ['a', 'b']) pump.emit(say(word));
    await pump.flush();
    const one = await follow(rig, turn);
    await rig.clock.advance(400);
    pump.emit(say('c'));
    await rig.clock.advance(400);
    await pump.close('complete', message);
    await rig.clock.advance(400);
    expect(one.lines).toEqual([
      { type: 'text', part: 1, text: 'ab', from: 1, cursor: '1.2' },
      { type: 'caught-up' },
      { type: 'text', part: 1, text: 'c', from: 3, cursor: '1.3' },
      { type: 'done', message, from: 4, cursor: '1.4' },
      { type: 'turn_status', status: 'complete', from: 5, cursor: '1.5' },
    ]);
    expect(one.over()).toBe(true);
  });

  it('are cut at the cursor', async () => {
    const rig = turnRig();
    const turn = await complete(rig, 'a', 'bc', 'd');
    const one = await follow(rig, turn, at(1, 1));
    await rig.clock.advance(100);
    expect(one.lines[0]).toEqual({ type: 'text', part: 1, text: 'bcd', from: 2, cursor: '1.3' });
  });

  it('of a queued turn say so once, and wait', async () => {
    const rig = turnRig();
    const turn = await queued(rig, 'T');
    const one = await follow(rig, turn);
    await rig.clock.advance(5_000);
    expect(one.lines).toEqual([{ type: 'queued' }]);
    const seen = rig.head(turn);
    await closeForeign(rig.deps, turn, seen, { status: 'cancelled', reason: 'stopped' });
    await rig.clock.advance(500);
    expect(one.lines.slice(1)).toMatchObject([
      { type: 'rewind', to: 0, from: 1, cursor: '1.1' },
      { type: 'turn_status', status: 'cancelled', reason: 'stopped', from: 2, cursor: '1.2' },
    ]);
  });

  it('bring one of a lost attempt back to where the next began', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    for (const event of [{ type: 'start', messages: [turn] }, say('a'), say('b')] as TurnEvent[])
      pump.emit(event);
    await pump.flush();
    await pump.stop();
    await rig.clock.advance(13_000);
    await takeOver(rig.deps, turn, rig.head(turn));
    const rewind = { type: 'rewind', to: 1, cursor: '2.4' };
    for (const [after, from] of [
      [at(1, 3), 4],
      [at(1, 1), 2],
      [at(1, 900), 4],
    ] as const) {
      const one = await follow(rig, turn, after);
      await rig.clock.advance(50);
      expect(one.lines[0]).toEqual({ ...rewind, from });
    }
  });
});

describe('what is gone', () => {
  const forgotten = async (...words: string[]) => {
    const rig = turnRig();
    const turn = await complete(rig, ...words);
    await forgetLog(rig.deps, turn, rig.head(turn), []);
    return { rig, turn };
  };

  it('is named by a gap; the last event is made from HEAD', async () => {
    const { rig, turn } = await forgotten('a');
    const one = await follow(rig, turn);
    await rig.clock.advance(50);
    expect(one.lines).toEqual([
      { type: 'gap', after: '1.0', cursor: '1.2' },
      { type: 'turn_status', status: 'complete', from: 3, cursor: '1.3' },
    ]);
    expect(one.over()).toBe(true);
  });

  it('needs no gap where nothing but the last event is missing', async () => {
    const { rig, turn } = await forgotten('a');
    const one = await follow(rig, turn, at(1, 2));
    await rig.clock.advance(50);
    expect(one.lines.map(({ type }) => type)).toEqual(['turn_status']);
  });

  it('by time is the same: segments that are missing are looked for three times', async () => {
    const rig = turnRig();
    const turn = await complete(rig, 'a', 'b');
    await rig.table.remove({ op: 'expired', key: keys.segment(turn, 4, 1) });
    const one = await follow(rig, turn);
    await rig.clock.advance(5_000);
    expect(one.looks).toHaveLength(4);
    expect(one.lines).toEqual([
      { type: 'gap', after: '1.0', cursor: '1.3' },
      { type: 'turn_status', status: 'complete', from: 4, cursor: '1.4' },
    ]);
  });

  it('of a running turn is skipped, and the follower goes on behind it', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    pump.emit({ type: 'data', fill: 'x'.repeat(600) });
    await pump.flush();
    await rig.table.remove({ op: 'expired', key: keys.segment(turn, 1, 1) });
    const one = await follow(rig, turn);
    await rig.clock.advance(3_000);
    pump.emit(say('b'));
    await rig.clock.advance(500);
    expect(one.lines.filter(({ type }) => type !== 'caught-up')).toEqual([
      { type: 'gap', after: '1.0', cursor: '1.1' },
      { type: 'text', part: 1, text: 'b', from: 2, cursor: '1.2' },
    ]);
  });

  it('altogether ends the lines', async () => {
    const rig = turnRig();
    const { turn } = await pumped(rig);
    const one = await follow(rig, turn);
    await rig.clock.advance(100);
    await rig.table.remove({ op: 'expired', key: keys.head(turn) });
    await rig.clock.advance(300);
    expect(one.over()).toBe(true);
  });
});

describe('the connection', () => {
  it('ends with bye and the cursor, which does not move the client', async () => {
    const rig = turnRig();
    const { turn, pump } = await pumped(rig);
    pump.emit(say('a'));
    await pump.flush();
    const one = await follow(rig, turn, BEGINNING, { ms: 2_000 });
    await rig.clock.advance(2_050);
    expect(one.lines.at(-1)).toEqual({ type: 'bye', cursor: '1.1' });
    expect(one.over()).toBe(true);
  });

  it('ends without a word when its client is gone', async () => {
    const rig = turnRig();
    const { turn } = await pumped(rig);
    const gone = new AbortController();
    const one = await follow(rig, turn, BEGINNING, { signal: gone.signal });
    await rig.clock.advance(100);
    gone.abort();
    await rig.clock.advance(0);
    expect([one.over(), one.lines]).toEqual([true, [{ type: 'caught-up' }]]);
  });
});
