/** A stop, and a redaction of what was asked, in each state of a turn, with everything that goes on around it. */
import { describe, expect, it } from 'vitest';
import { keys as gateKeys } from '../../functions/gate/keys.ts';
import { recordOf } from '../../functions/inbox/record.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { cancel } from '../../functions/turns/cancel.ts';
import { history } from '../../functions/turns/conversation.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { tableOver } from '../fakes/table.ts';
import { ANA } from './people.ts';
import { Shop } from './shop.ts';

const stop = (shop: Shop, turn: string) => cancel(shop.work, turn, 'stopped');
const secrets = (shop: Shop) =>
  JSON.stringify([shop.turns.all(), shop.gate.all(), shop.memory.all()]).match(/secret/g)?.length ?? 0;

/** A turn of `words`, and the worker that runs it, a while after it began. */
async function working(words: string, ms: number) {
  const shop = new Shop();
  const turn = await shop.ask(words);
  const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
  const worker = shop.receive();
  await shop.clock.advance(ms);
  const redact = async () => {
    const id = shop.rooms.redact(ANA, shop.direct, asked);
    await shop.push(shop.direct, id);
    return () => recordOf(shop.gate.get(gateKeys.record(shop.direct, id)));
  };
  return { shop, turn, worker, redact };
}

describe('a stop', () => {
  it('while the agent speaks ends the turn within two seconds, and nothing is said in the room', async () => {
    const { shop, turn, worker } = await working('count to 30', 5_500);
    expect(await stop(shop, turn)).toEqual({ kind: 'stopping', status: 'running' });
    const asked = shop.clock.monotonic();
    expect(await shop.finish(worker)).toEqual({ kind: 'done' });
    expect(shop.clock.monotonic() - asked).toBeLessThanOrEqual(2_000);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'stopped', attempt: 1 });
    expect(await shop.text(turn)).toMatch(/^1, 2, 3/);
    expect(shop.posts()).toEqual([]);
    const { conversation } = (await getMeta(shop.work.table, turn))!;
    expect(await history(tableOver(shop.turns), conversation, 9)).toEqual([]);
  });

  it('while a tool runs is told to it, and ends the turn', async () => {
    let told = false;
    const tool = {
      name: 'pin_room_fact',
      description: 'pins',
      parameters: {},
      run: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => {
            told = true;
            reject(new Error('stopped'));
          });
        }),
    };
    const shop = new Shop({ tools: [tool] });
    const turn = await shop.ask('remember the milk');
    const worker = shop.receive();
    await shop.clock.advance(3_000);
    expect(shop.head(turn).phase).toBe('tool');
    await stop(shop, turn);
    await shop.finish(worker);
    expect([told, shop.head(turn).status]).toEqual([true, 'cancelled']);
    expect((await shop.events(turn)).some(({ type }) => type === 'tool-result')).toBe(false);
  });

  it('before the start event takes nothing along with it', async () => {
    const shop = new Shop();
    const first = await shop.ask('one');
    const second = await shop.ask('two');
    shop.before('append plain', async () => void (await stop(shop, first)));
    await shop.run();
    expect(shop.head(first)).toMatchObject({ status: 'cancelled', reason: 'stopped' });
    expect(shop.head(second).status).toBe('complete');
    expect(shop.bodies()).toEqual(['ana said: two']);
  });

  it('in the last moment before the delivery wins; in the first moment of it it is too late', async () => {
    for (const [op, answer, ends] of [
      ['append delivering', { kind: 'stopping', status: 'running' }, 'cancelled'],
      ['parts', { kind: 'too late' }, 'complete'],
    ] as const) {
      const shop = new Shop();
      const turn = await shop.ask('hello');
      let said: unknown;
      shop.before(op, async () => {
        said = await stop(shop, turn);
      });
      await shop.run();
      expect([op, said, shop.head(turn).status]).toEqual([op, answer, ends]);
      expect(shop.posts()).toHaveLength(ends === 'complete' ? 1 : 0);
    }
  });
});

describe('a redaction of what was asked', () => {
  it('while the agent speaks ends the turn; later its log is forgotten', async () => {
    const { shop, turn, worker, redact } = await working('count to 30 secret', 4_000);
    const record = await redact();
    await shop.finish(worker);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
    expect(record().finished).toBe(false);
    for (let n = 0; n < 12 && !record().finished; n++) {
      await shop.clock.advance(2 * 60_000 + 1);
      await shop.finish(finishUndone(shop.inbox, () => false));
    }
    expect([record().finished, shop.head(turn).forgotten, secrets(shop)]).toEqual([true, true, 0]);
    expect(shop.posts()).toEqual([]);
  });

  it('while it is delivered comes too late; when the turn is over its words go everywhere but in the room', async () => {
    const shop = new Shop();
    const turn = await shop.ask('the secret');
    const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
    let record: () => { finished: boolean } = () => ({ finished: false });
    shop.before('send', async () => {
      const id = shop.rooms.redact(ANA, shop.direct, asked);
      await shop.push(shop.direct, id);
      record = () => recordOf(shop.gate.get(gateKeys.record(shop.direct, id)));
    });
    await shop.run();
    expect(shop.head(turn).status).toBe('complete');
    expect(shop.bodies()).toEqual(['ana said: the secret']);
    expect(record().finished).toBe(false);
    expect(secrets(shop)).toBeGreaterThan(0);
    for (let n = 0; n < 12 && !record().finished; n++) {
      await shop.clock.advance(2 * 60_000 + 1);
      await shop.finish(finishUndone(shop.inbox, () => false));
    }
    expect([record().finished, secrets(shop)]).toEqual([true, 0]);
    expect(shop.bodies()).toEqual(['ana said: the secret']);
  });

  it('while it waits for an answer ends it', async () => {
    const { shop, turn, worker, redact } = await working('ask me first: secret', 1_000);
    await shop.finish(worker);
    await redact();
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
  });

  it('of one of several leaves the others to be answered', async () => {
    const shop = new Shop();
    const turn = await shop.ask('the secret');
    const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
    await shop.ask('the weather');
    await shop.push(shop.direct, shop.rooms.redact(ANA, shop.direct, asked));
    await shop.run();
    expect(shop.bodies()).toEqual(['ana said: the weather']);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
    expect(secrets(shop)).toBe(0);
  });

  it('after the answer takes it out of the next question’s history', async () => {
    const shop = new Shop();
    await shop.ask('the secret');
    const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
    await shop.run();
    await shop.clock.advance(20 * 60_000);
    await shop.push(shop.direct, shop.rooms.redact(ANA, shop.direct, asked));
    const seen: unknown[] = [];
    const agent = shop.agent;
    shop.agent = {
      async *run(input, signal): AsyncGenerator<TurnEvent> {
        seen.push(input.history, input.recent);
        yield* agent.run(input, signal);
      },
    };
    await shop.ask('and now?');
    await shop.run();
    expect(seen).toEqual([[], []]);
    expect(secrets(shop)).toBe(0);
  });
});
