/** What a room sees of the work: a receipt when it is taken up, typing until the agent has said everything. */
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../functions/agent/agent.ts';
import { roster } from '../../functions/memory/roster.ts';
import { cancel } from '../../functions/turns/cancel.ts';
import { tableOver } from '../fakes/table.ts';
import { ANA, BEN, BOT, CEM } from './people.ts';
import { Shop } from './shop.ts';

describe('a turn', () => {
  it('reads up to its last message and types while it runs, refreshed, then no more', async () => {
    const shop = new Shop();
    const receipts: unknown[] = [];
    shop.rooms.onEphemeral(({ type, content }) => void (type === 'm.receipt' && receipts.push(content)));
    const turn = await shop.ask('count to 50');
    const begun = shop.clock.monotonic();
    const working = shop.receive();
    await shop.clock.advance(1_000);
    const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
    expect(receipts).toMatchObject([{ [asked]: { 'm.read': { [BOT]: {} } } }]);
    for (let second = 1; second < 50; second++) {
      expect(shop.rooms.typingUsers(shop.direct)).toEqual([BOT]);
      await shop.clock.advance(1_000);
    }
    await shop.finish(working);
    expect(shop.head(turn).status).toBe('complete');
    expect(shop.rooms.typingUsers(shop.direct)).toEqual([]);
    const typed = shop.called('typing').map((at) => Math.round((at - begun) / 1_000));
    expect(typed).toEqual([0, 20, 40, 50]);
  });

  it.each(['an error', 'a stop'])('stops typing at the end whatever happens: %s', async (end) => {
    const shop = new Shop();
    shop.agent = {
      async *run(_, signal) {
        await shop.clock.sleep(5_000, signal);
        if (end === 'an error') throw new AgentError('model_unavailable');
        yield { type: 'step-start' };
        await shop.clock.sleep(60_000, signal);
      },
    };
    const turn = await shop.ask('go');
    const working = shop.receive();
    await shop.clock.advance(3_000);
    expect(shop.rooms.typingUsers(shop.direct)).toEqual([BOT]);
    if (end === 'a stop') {
      await cancel(shop.work, turn, 'stopped');
    }
    await shop.finish(working);
    expect(shop.rooms.typingUsers(shop.direct)).toEqual([]);
  });

  it('goes on although the homeserver takes none of it', async () => {
    const shop = new Shop();
    const turn = await shop.ask('hello', { room: shop.group });
    shop.refuse('typing', 403, { times: 9 });
    shop.refuse('receipt', 500, { times: 9 });
    shop.refuse('joinedMembers', 500, { times: 9 });
    await shop.run();
    expect(shop.head(turn).status).toBe('complete');
    expect(shop.counted.get('PresenceFailures')).toBeGreaterThanOrEqual(3);
  });
});

describe('the roster', () => {
  it('is refreshed by an answer in a group: joined members, not the bot, those who spoke last first', async () => {
    const shop = new Shop();
    await shop.push(shop.group, shop.send(shop.group, CEM, 'first'));
    await shop.clock.advance(1_000);
    await shop.ask('hello', { room: shop.group, sender: BEN });
    await shop.run();
    const members = await roster({ table: tableOver(shop.memory), tenant: 'hs' }, shop.group);
    expect(members).toEqual([
      { userId: BEN, name: 'ben' },
      { userId: CEM, name: 'cem' },
      { userId: ANA, name: 'ana' },
    ]);
  });

  it('is none of a direct room’s business', async () => {
    const shop = new Shop();
    await shop.ask('hello');
    const before = shop.called('joinedMembers').length;
    await shop.run();
    expect(shop.called('joinedMembers').length).toBe(before);
  });
});
