/**
 * How long the webhook takes to answer a transaction, from the request to its URL to the last byte of the answer: one
 * event that is not meant for the agent, and a hundred over ten group rooms of which five are answered. Each waits for
 * the replies of the one before, so that a transaction meets no work but its own.
 */
import { readTokens } from '../../bin/dev/folder.ts';
import type { Bench } from './bench.ts';
import { type People, peopleOf } from './people.ts';
import { AT_ONCE, withStack } from './running.ts';
import { percentile } from './statistics.ts';

const ROOMS = 10;
/** So many that no sender's or room's limit is met. */
const PEOPLE = 30;
const WARM = 30;
const SMALL = 400;
const WARM_LARGE = 5;
const LARGE = 55;
const EVENTS = 100;
const ANSWERED = 5;
/** So that each is in a room of its own. */
const APART = 21;

export const webhook: Bench = {
  figures: {
    webhook_1_p99_ms: { unit: 'ms' },
    webhook_100_p99_ms: { unit: 'ms', target: '<= 1000' },
  },
  measure: () =>
    withStack({ env: AT_ONCE }, async ({ stack, folder }) => {
      const { hs_token } = await readTokens(folder);
      const people = peopleOf(stack);
      const names = people.register(PEOPLE);
      const rooms = Array.from({ length: ROOMS }, () => people.group(names));
      await people.quiet();
      let sent = 0;
      const message = (n: number, mentioned: boolean) =>
        messageOf(
          `$bench-${sent++}`,
          rooms[n % ROOMS]!,
          names[sent % PEOPLE]!,
          mentioned ? people.bot : undefined,
        );
      const put = (events: object[]) => timed(stack.url, hs_token, `bench-${sent}`, events);

      const small: number[] = [];
      for (let n = 0; n < WARM + SMALL; n++) small.push(await put([message(n, false)]));
      const large: number[] = [];
      for (let round = 0; round < WARM_LARGE + LARGE; round++) {
        const mentioned = new Set(Array.from({ length: ANSWERED }, (_, k) => (k * APART + round) % EVENTS));
        const events = Array.from({ length: EVENTS }, (_, n) => message(n, mentioned.has(n)));
        const answered = replies(people, ANSWERED);
        large.push(await put(events));
        await answered;
      }
      return {
        webhook_1_p99_ms: percentile(small.slice(WARM), 99),
        webhook_100_p99_ms: percentile(large.slice(WARM_LARGE), 99),
      };
    }),
};

const messageOf = (id: string, room: string, sender: string, mentioned: string | undefined) => ({
  event_id: id,
  room_id: room,
  type: 'm.room.message',
  sender,
  origin_server_ts: Date.now(),
  unsigned: { age: 1 },
  content: {
    msgtype: 'm.text',
    body: `words of ${id}`,
    'm.mentions': mentioned === undefined ? {} : { user_ids: [mentioned] },
  },
});

async function timed(url: string, token: string, id: string, events: object[]): Promise<number> {
  const body = JSON.stringify({ events });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const began = performance.now();
  const response = await fetch(`${url}/_matrix/app/v1/transactions/${id}`, { method: 'PUT', headers, body });
  await response.text();
  const took = performance.now() - began;
  if (!response.ok) throw new Error(`the webhook answered ${response.status}`);
  return took;
}

/** When the bot has said that much. */
function replies(people: People, count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const stop = people.onReply(() => {
      if (--left > 0) return;
      stop();
      resolve();
    });
  });
}
