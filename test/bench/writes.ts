/**
 * How many writes one event of a group room costs while the webhook handles it: acknowledged writes to the three tables,
 * at their port, once the room's picture and its people's names are known. Refused writes count too: they cost the same.
 */

import { memoryTable, type Through } from '../fakes/table.ts';
import { roomOf } from '../gate/homeserver.ts';
import { asked, said } from '../inbox/events.ts';
import { inboxOf, ROOM } from '../inbox/inbox.ts';
import type { Bench } from './bench.ts';

const WRITES: ReadonlySet<string> = new Set(['put', 'update', 'remove']);

export const writes: Bench = {
  figures: {
    writes_ignored: { unit: 'writes', target: '<= 5' },
    writes_accepted: { unit: 'writes', target: '<= 12' },
  },
  async measure() {
    let count = 0;
    const through: Through = async ({ kind }, effect) => {
      const answer = effect();
      if (WRITES.has(kind)) count++;
      return answer;
    };
    const tables = { turns: memoryTable(through), gate: memoryTable(through), memory: memoryTable(through) };
    const inbox = inboxOf({ tables });
    inbox.server.rooms.set(ROOM, roomOf(['@ana:hs', '@ben:hs', '@cai:hs', '@bot:hs']));
    const costOf = async (event: object) => {
      count = 0;
      await inbox.push(event);
      return count;
    };
    await costOf(said('$first'));
    await costOf(asked('$second'));
    return { writes_ignored: await costOf(said('$third')), writes_accepted: await costOf(asked('$fourth')) };
  },
};
