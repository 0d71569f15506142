/**
 * From a word's production to its arrival at a follower: the product's own pump and followers over DynamoDB's stand-in,
 * two followers of one turn, as a worker's turn streams. Beside it the same load as one writes it without a plan.
 */
import { dynamoTable } from '../../../functions/adapters/dynamodb/table.ts';
import { systemClock, systemRandom } from '../../../functions/adapters/lambda/clock.ts';
import type { Table } from '../../../functions/runtime/table.ts';
import { BEGINNING } from '../../../functions/turns/cursor.ts';
import { attach, type FollowDeps } from '../../../functions/turns/follow.ts';
import { createPump } from '../../../functions/turns/pump.ts';
import { begun } from '../begun.ts';
import type { Bench } from '../bench.ts';
import { httpMeta } from '../meta.ts';
import { percentile } from '../statistics.ts';
import { withDynamoDB } from './apart.ts';
import { type Load, load } from './load.ts';
import { followPlainly } from './plain.ts';

const FOLLOWERS = 2;
const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
/** The first word is the event behind `start` and `step-start`. */
const FIRST_WORD = 3;

export const follow: Bench = {
  figures: {
    follower_p50_ms: { unit: 'ms', target: '<= 70' },
    follower_p99_ms: { unit: 'ms', target: '<= 150' },
    pause_p99_ms: { unit: 'ms', target: '<= 150' },
    follower_end_ms: { unit: 'ms', target: '<= 150' },
    read_units_per_follower_minute: { unit: 'RCU' },
    follower_p50_ratio: { unit: 'x' },
  },
  async measure() {
    return withDynamoDB(async (client) => {
      const table = dynamoTable(client, 'turns');
      const ours = load();
      const followed = await streamed(table, ours);
      const theirs = load();
      const reader = counted(table);
      const began = performance.now();
      const heard = await followPlainly(table, reader.table, theirs);
      const plain = { ...heard, readUnits: reader.units(), seconds: (performance.now() - began) / 1_000 };
      const [own, other] = [delays(ours, followed.heard), delays(theirs, [plain.heard])];
      const beside = (percent: number, of: 'all' | 'beforePause') => ({
        value: percentile(own[of], percent),
        baseline: percentile(other[of], percent),
      });
      return {
        follower_p50_ms: beside(50, 'all'),
        follower_p99_ms: beside(99, 'all'),
        pause_p99_ms: beside(99, 'beforePause'),
        follower_end_ms: {
          value: percentile(
            followed.ends.map((end) => end - followed.closed),
            99,
          ),
          baseline: plain.end - theirs.produced.at(-1)!,
        },
        read_units_per_follower_minute: {
          value: perMinute(followed.readUnits / FOLLOWERS, followed.seconds),
          baseline: perMinute(plain.readUnits, plain.seconds),
        },
        follower_p50_ratio: percentile(other.all, 50) / percentile(own.all, 50),
      };
    });
  },
};

const perMinute = (units: number, seconds: number) => units / (seconds / 60);

type Followed = {
  /** When each follower had each word. */
  readonly heard: readonly (readonly number[])[];
  readonly closed: number;
  readonly ends: readonly number[];
  readonly readUnits: number;
  readonly seconds: number;
};

async function streamed(table: Table, words: Load): Promise<Followed> {
  const deps = { table, clock: systemClock, random: systemRandom };
  const head = await begun(deps, TURN, httpMeta(Date.now()));
  const began = performance.now();
  const readers = Array.from({ length: FOLLOWERS }, () => counted(table));
  const following = readers.map(({ table }) => listen({ ...deps, table, nudge: async () => {} }));
  const pump = createPump({ ...deps, turn: TURN, head, queued: true });
  pump.emit({ type: 'start', messages: [TURN] });
  await pump.flush();
  pump.emit({ type: 'step-start' });
  await words.run((index) => void pump.emit({ type: 'text', part: 1, text: words.texts[index]! }));
  await pump.deliver([{ type: 'step-end', last: true }]);
  const message = { id: 'msg', role: 'assistant', content: words.texts.join(''), createdAt: '' } as const;
  const closed = performance.now();
  await pump.close('complete', message);
  await pump.stop();
  const ended = await Promise.all(following);
  return {
    heard: ended.map(({ heard }) => heard),
    closed,
    ends: ended.map(({ end }) => end),
    readUnits: readers.reduce((sum, { units }) => sum + units(), 0),
    seconds: (performance.now() - began) / 1_000,
  };
}

async function listen(deps: FollowDeps) {
  const heard: number[] = [];
  const attached = await attach(deps, TURN, { after: BEGINNING, until: Number.POSITIVE_INFINITY });
  if (attached.kind !== 'following') throw new Error(attached.kind);
  for await (const line of attached.lines) {
    const now = performance.now();
    if (line.type === 'text' && 'cursor' in line) {
      const last = Number(line.cursor.split('.')[1]) - FIRST_WORD;
      while (heard.length <= last) heard.push(now);
    }
    if (line.type === 'turn_status') return { heard, end: now };
  }
  throw new Error('the turn has no end');
}

/** Counts what reads cost: a strongly consistent one costs a unit for each 4 KB, and none of these rows is larger. */
function counted(table: Table): { table: Table; units(): number } {
  let units = 0;
  return {
    units: () => units,
    table: {
      ...table,
      get: (key) => {
        units++;
        return table.get(key);
      },
      query: async (range) => {
        const rows = await table.query(range);
        units += Math.max(1, Math.ceil(Buffer.byteLength(JSON.stringify(rows)) / 4_096));
        return rows;
      },
    },
  };
}

function delays(words: Load, heard: readonly (readonly number[])[]) {
  const all: number[] = [];
  const beforePause: number[] = [];
  for (const times of heard)
    for (const [index, produced] of words.produced.entries()) {
      const delay = times[index]! - produced;
      all.push(delay);
      if (words.isBeforePause(index)) beforePause.push(delay);
    }
  return { all, beforePause };
}
