/** A homeserver that is away while an answer is delivered: it costs no attempt, and no word is lost or said twice. */
import { describe, expect, it } from 'vitest';
import { Shop } from './shop.ts';

describe('a homeserver that is away', () => {
  const away = async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello');
    let runs = 0;
    const agent = shop.agent;
    shop.agent = {
      run(...given) {
        runs++;
        return agent.run(...given);
      },
    };
    shop.before('append delivering', () => {
      shop.away = true;
    });
    return { shop, turn, runs: () => runs };
  };

  it('is tried until a minute before the invocation’s end, then the turn is paused', async () => {
    const { shop, turn } = await away();
    const begun = shop.clock.monotonic();
    const handled = await shop.finish(shop.receive('turns', 200_000));
    expect(handled).toEqual({ kind: 'again', seconds: expect.any(Number) });
    expect(shop.clock.monotonic() - begun).toBeLessThan(150_000);
    expect(shop.clock.monotonic() - begun).toBeGreaterThan(139_000);
    expect(shop.head(turn)).toMatchObject({ status: 'waiting', phase: 'delivering', attempt: 1 });
  });

  it('costs no attempt: whoever comes next goes on with the delivery only', async () => {
    const { shop, turn, runs } = await away();
    for (let round = 0; round < 4; round++) {
      const handled = await shop.finish(shop.receive('turns', 100_000));
      expect(handled!.kind).toBe('again');
      const { seconds } = handled as { seconds: number };
      expect(seconds).toBeGreaterThanOrEqual(15);
      expect(seconds).toBeLessThanOrEqual(300);
      await shop.clock.advance(seconds * 1_000);
    }
    shop.away = false;
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 1 });
    expect([shop.posts().length, runs()]).toEqual([1, 1]);
  });

  it('pauses for longer the longer it lasts', async () => {
    const { shop } = await away();
    const pauses: number[] = [];
    for (let round = 0; round < 8; round++) {
      const handled = (await shop.finish(shop.receive('turns', 100_000))) as { seconds: number };
      pauses.push(handled.seconds);
      await shop.clock.advance(handled.seconds * 1_000);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses.at(-1)).toBeGreaterThan(pauses[0]!);
  });

  it('for an hour ends the turn, and the note waits for it', async () => {
    const { shop, turn } = await away();
    for (let round = 0; round < 60; round++) {
      const handled = await shop.finish(shop.receive('turns', 900_000), 1_000);
      if (shop.head(turn).status === 'error') break;
      await shop.clock.advance((handled as { seconds: number }).seconds * 1_000);
    }
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'delivery_failed' });
    expect(shop.posts()).toEqual([]);
    shop.away = false;
    await shop.clock.advance(300_000);
    await shop.run();
    expect(shop.bodies()).toEqual([`I could not answer: the answer could not be delivered. ${turn}`]);
  });
});
