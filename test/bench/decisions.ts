/**
 * How many events one process decides a second, all that follows included, over tables that answer at once: the time is
 * the product's own. Transactions of 100 messages over ten group rooms, not meant for the agent.
 */

import { roomOf } from '../gate/homeserver.ts';
import { said } from '../inbox/events.ts';
import { type Inbox, inboxOf } from '../inbox/inbox.ts';
import type { Bench } from './bench.ts';
import { median } from './statistics.ts';

const ROOMS = Array.from({ length: 10 }, (_, n) => `!room${n}:hs`);
const EVENTS = 100;
const TRANSACTIONS = 10;
const WARM_ROUNDS = 3;
const ROUNDS = 15;

export const decisions: Bench = {
  figures: { decisions_per_s: { unit: '1/s' } },
  async measure() {
    const speeds: number[] = [];
    for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) speeds.push(await speed());
    return { decisions_per_s: median(speeds.slice(WARM_ROUNDS)) };
  },
};

/** Over new tables each time: these sort a partition for each query, so a long history would cost time that is theirs. */
async function speed(): Promise<number> {
  const inbox = inboxOf();
  for (const room of ROOMS)
    inbox.server.rooms.set(room, roomOf(['@ana:hs', '@ben:hs', '@cai:hs', '@bot:hs']));
  await push(inbox, 'first');
  const began = performance.now();
  for (let n = 0; n < TRANSACTIONS; n++) await push(inbox, String(n));
  return (TRANSACTIONS * EVENTS * 1_000) / (performance.now() - began);
}

const push = (inbox: Inbox, transaction: string) =>
  inbox.push(
    ...Array.from({ length: EVENTS }, (_, n) =>
      said(`$${transaction}.${n}`, { room_id: ROOMS[n % ROOMS.length]! }),
    ),
  );
