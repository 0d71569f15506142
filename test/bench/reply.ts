/**
 * From the 200 of the sender's homeserver to the reply in the sender's `/sync`: when the answer that holds it begins to
 * arrive, and when it is there. Direct rooms, a short message, one at a time, the local model at full speed.
 */
import { BOT } from '../../bin/dev/folder.ts';
import type { Bench } from './bench.ts';
import { type Heard, register } from './person.ts';
import { AT_ONCE, type Running, withStack } from './running.ts';
import { median } from './statistics.ts';

const PEOPLE = 5;
/** Fewer than a sender may have answered. */
const MESSAGES = 14;
const WARM = 2;
/** So that one turn is over before the next message comes. */
const PAUSE_MS = 100;

export const reply: Bench = {
  figures: {
    reply_first_p50_ms_stand_in: { unit: 'ms' },
    reply_last_p50_ms_stand_in: { unit: 'ms' },
  },
  async measure() {
    const { first, last } = await withStack({ env: AT_ONCE }, heard);
    return { reply_first_p50_ms_stand_in: first, reply_last_p50_ms_stand_in: last };
  },
};

export const botOf = ({ stack }: Running) => `@${BOT.localpart}:${stack.server}`;

/** The medians. */
export async function heard(running: Running): Promise<Heard> {
  const times: Heard[] = [];
  for (let n = 0; n < PEOPLE; n++) {
    const person = await register(running.stack.homeserverUrl, `bench${n}`, botOf(running));
    const room = await person.directRoom();
    for (let message = 0; message < MESSAGES; message++) {
      const hearing = person.hear(room);
      const sent = await person.say(room, `message ${message}`);
      const { first, last } = await hearing;
      if (message >= WARM) times.push({ first: first - sent, last: last - sent });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
  return { first: median(times.map(({ first }) => first)), last: median(times.map(({ last }) => last)) };
}
