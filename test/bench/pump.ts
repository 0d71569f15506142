/**
 * What the log of a turn costs that streams 100 tokens a second for ten seconds: the real pump under virtual time, over a
 * table that answers at once, which is when it writes most often.
 */

import type { Key } from '../../functions/runtime/table.ts';
import { keys } from '../../functions/turns/keys.ts';
import { KEEP_SEGMENTS_S, KEEP_TURN_S, type Meta } from '../../functions/turns/meta.ts';
import { createPump } from '../../functions/turns/pump.ts';
import { seededRandom, virtualClock } from '../dev/homeserver/virtual-clock.ts';
import { memoryRows, tableOver } from '../fakes/table.ts';
import { begun } from './begun.ts';
import type { Bench } from './bench.ts';
import { rowBytes, writeUnits } from './row-bytes.ts';
import { tokens } from './tokens.ts';

const TURN = 'Zm9vYmFyYmF6cXV4MTIzNA';
const TOKENS = 1_000;
const EVERY_MS = 10;

type Write = { readonly key: Key; readonly units: number; readonly bytes: number };

export const pump: Bench = {
  figures: {
    head_one_unit_share: { unit: '', target: '>= 0.99' },
    write_units_per_1000_tokens: { unit: 'WCU', target: '<= 150' },
  },
  async measure() {
    const written = await streamed();
    const heads = written.filter(({ key }) => key.sk === keys.head(TURN).sk);
    return {
      head_one_unit_share: heads.filter(({ bytes }) => bytes <= 1_024).length / heads.length,
      write_units_per_1000_tokens: written.reduce((sum, { units }) => sum + units, 0) / (TOKENS / 1_000),
    };
  },
};

/** Every write of the pump, refused ones too: they cost the same. */
async function streamed(): Promise<Write[]> {
  const written: Write[] = [];
  const rows = memoryRows();
  const table = tableOver(rows, async ({ detail }, effect) => {
    const { key, row } = detail as { key?: Key; row?: Key };
    const at = key ?? row;
    if (!at) return effect();
    const before = rows.get(at);
    const answer = effect();
    const after = rows.get(at);
    const bytes = Math.max(rowBytes(before), rowBytes(after));
    written.push({ key: at, bytes, units: writeUnits(before, after) });
    return answer;
  });
  const clock = virtualClock();
  const deps = { table, clock, random: seededRandom() };
  const head = await begun(deps, TURN, meta(clock.now()));
  written.length = 0;

  const segmentExpiry = Math.floor(clock.now() / 1_000) + KEEP_SEGMENTS_S;
  const running = createPump({ ...deps, turn: TURN, head, queued: true, segmentExpiry });
  running.emit({ type: 'start', messages: [TURN] });
  await running.flush();
  running.emit({ type: 'step-start' });
  let content = '';
  for (const text of tokens(TOKENS)) {
    running.emit({ type: 'text', part: 1, text });
    content += text;
    await clock.advance(EVERY_MS);
  }
  const usage = { inputTokens: 100, outputTokens: TOKENS };
  await running.deliver([{ type: 'step-end', last: true, usage }]);
  const createdAt = new Date(clock.now()).toISOString();
  await running.close('complete', { id: TURN, role: 'assistant', content, createdAt, usage });
  await running.stop();
  return written;
}

/** A turn as the webhook makes it of a message in a group room. */
const meta = (now: number): Meta => ({
  tenant: 'example.org',
  principal: '@alice:example.org',
  conversation: 'Y29udmVyc2F0aW9uMTIzNA',
  order: '01800000000000.000',
  source: {
    kind: 'matrix',
    room: '!room:example.org',
    roomKind: 'group',
    event: '$event',
    sender: '@alice:example.org',
    name: 'alice',
    at: now,
  },
  input: 'Tell me about the turnpike.',
  created: now,
  expires: Math.floor(now / 1_000) + KEEP_TURN_S,
});
