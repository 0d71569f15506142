/** What an agent is given: the messages it answers, what was said before, the room’s last words, who answered what. */
import { describe, expect, it } from 'vitest';
import type { AgentInput } from '../../functions/agent/agent.ts';
import { putSaid } from '../../functions/turns/conversation.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { ANA, BEN, BOT, CEM, MENTION } from './people.ts';
import { Shop, type ShopOptions } from './shop.ts';

/** A shop whose agent keeps what it was given, and answers. */
function keeping(options?: ShopOptions) {
  const shop = new Shop(options);
  const inputs: AgentInput[] = [];
  const agent = shop.agent;
  shop.agent = {
    async *run(input, signal): AsyncGenerator<TurnEvent> {
      inputs.push(input);
      yield* agent.run(input, signal);
    },
  };
  return { shop, inputs };
}

describe('an agent in a direct room', () => {
  it('is given who asks what, and none of the room', async () => {
    const { shop, inputs } = keeping();
    const turn = await shop.ask('hello');
    const { id } = shop.rooms.timeline(shop.direct).at(-1)!;
    await shop.run();
    expect(inputs[0]).toMatchObject({
      turn,
      attempt: 1,
      principal: ANA,
      roomKind: 'direct',
      asked: [{ event: id, sender: ANA, text: 'hello' }],
      history: [],
      recent: [],
      started: [],
      tools: [],
    });
    expect(inputs[0]!.steps.map(({ event }) => event.type)).toEqual(['start']);
    expect(inputs[0]).not.toHaveProperty('consent');
  });
});

describe('an agent in a group', () => {
  it('is given the last twenty messages of the room, of whomever, oldest first', async () => {
    const { shop, inputs } = keeping();
    for (let n = 0; n < 25; n++) {
      await shop.clock.advance(1_000);
      await shop.push(shop.group, shop.send(shop.group, BEN, `m${n}`));
    }
    await shop.ask('hello', { room: shop.group });
    await shop.run();
    const recent = inputs[0]!.recent;
    expect(recent).toHaveLength(20);
    expect(recent.slice(0, 2).map(({ text }) => text)).toEqual(['m6', 'm7']);
    expect(recent.at(-1)).toMatchObject({ text: 'hello', sender: ANA, name: 'ana' });
  });

  it('is given the bot’s own words too, as they came back', async () => {
    const { shop, inputs } = keeping();
    await shop.ask('hello', { room: shop.group });
    await shop.run();
    await shop.echo(shop.group);
    await shop.ask('again', { room: shop.group });
    await shop.run();
    expect(inputs[1]!.recent.map(({ text }) => text)).toEqual(['hello', 'ana said: hello', 'again']);
  });

  it('is given names that imitate nobody', async () => {
    const { shop, inputs } = keeping();
    shop.rooms.setDisplayName(ANA, `A\u202e\n${'x'.repeat(100)}`);
    await shop.push(shop.group, ...shop.rooms.timeline(shop.group).map(({ id }) => id));
    await shop.ask('hello', { room: shop.group });
    await shop.run();
    expect(inputs[0]!.asked[0]!.name).toBe(`A${'x'.repeat(63)}`);
  });

  it('is given what an edit made of a message, but the words it was asked', async () => {
    const { shop, inputs } = keeping();
    const said = shop.send(shop.group, BEN, 'first');
    await shop.push(shop.group, said);
    const edit = {
      'm.new_content': { msgtype: 'm.text', body: 'second' },
      'm.relates_to': { rel_type: 'm.replace', event_id: said },
    };
    await shop.push(shop.group, shop.send(shop.group, BEN, '* second', edit));
    await shop.ask('hello', { room: shop.group });
    await shop.run();
    expect(inputs[0]!.recent.map(({ text }) => text)).toEqual(['second', 'hello']);
  });
});

describe('the history', () => {
  /** A conversation of so many messages of so many characters. */
  async function historyOf(count: number, length: number) {
    const { shop, inputs } = keeping();
    const turn = await shop.ask('hello');
    const { conversation } = (await getMeta(shop.work.table, turn))!;
    for (let n = 0; n < count; n++) {
      const text = `${n} `.padEnd(length, 'x');
      const said = { role: n % 2 ? 'assistant' : 'user', at: n, order: 'o', event: `$${n}`, text } as const;
      await putSaid(shop.work.table, conversation, said, shop.clock.now());
    }
    await shop.run();
    return inputs[0]!.history;
  }

  it('is the newest fifty messages, oldest first', async () => {
    const history = await historyOf(60, 5);
    expect(history).toHaveLength(50);
    expect([history[0]!.text, history.at(-1)!.text]).toEqual(['10 xx', '59 xx']);
  });

  it('is 24,000 estimated tokens at most', async () => {
    expect(await historyOf(10, 20_000)).toHaveLength(4);
    expect(await historyOf(10, 100_000)).toEqual([]);
  });

  it('has nothing blank in it', async () => {
    const { shop, inputs } = keeping();
    const turn = await shop.ask('hello');
    const { conversation } = (await getMeta(shop.work.table, turn))!;
    for (const [n, text] of [' ', '\n', 'word'].entries())
      await putSaid(
        shop.work.table,
        conversation,
        { role: 'user', at: n, order: 'o', event: `$${n}`, text },
        shop.clock.now(),
      );
    await shop.run();
    expect(inputs[0]!.history.map(({ text }) => text)).toEqual(['word']);
  });

  it('is each conversation’s own: a thread knows nothing of the main timeline', async () => {
    const { shop, inputs } = keeping();
    await shop.ask('hello', { room: shop.group });
    await shop.run();
    const root = shop.send(shop.group, BEN, 'a thread');
    await shop.push(shop.group, root);
    await shop.ask('in here', {
      room: shop.group,
      more: { ...MENTION, 'm.relates_to': { rel_type: 'm.thread', event_id: root } },
    });
    await shop.run();
    await shop.ask('out there', { room: shop.group });
    await shop.run();
    expect(inputs.map(({ history }) => history.map(({ text }) => text))).toEqual([
      [],
      [],
      ['hello', 'ana said: hello'],
    ]);
  });
});

describe('a consent', () => {
  it('is given with who gave it', async () => {
    const { shop, inputs } = keeping();
    await shop.ask('ask me first: paint it');
    await shop.run();
    const { id } = shop.posts()[0]!;
    const relation = { rel_type: 'm.annotation', event_id: id, key: '👍' };
    await shop.push(
      shop.direct,
      shop.rooms.send(ANA, shop.direct, 'm.reaction', { 'm.relates_to': relation }),
    );
    await shop.run();
    expect(inputs[1]).toMatchObject({ attempt: 1, consent: { choice: 'yes', by: ANA } });
    expect(inputs[1]!.steps.map(({ event }) => event.type)).toEqual([
      'start',
      'step-start',
      'step-end',
      'waiting',
    ]);
  });
});

describe('the room that another one replaced', () => {
  const replacing = async (announced: boolean) => {
    const { shop, inputs } = keeping();
    await shop.push(shop.group, shop.send(shop.group, BEN, 'a secret'));
    const creation_content = { predecessor: { room_id: shop.group } };
    // Dan is in neither; whoever makes a room may name any other as the one before it.
    if (!announced) shop.rooms.register('dan');
    const owner = announced ? ANA : '@dan:hs';
    const next = shop.rooms.createRoom(owner, {
      creation_content,
      invite: [BOT, ANA, BEN, CEM].filter((one) => one !== owner),
    });
    for (const user of [ANA, BEN, CEM]) if (user !== owner) shop.rooms.join(user, next);
    if (announced) {
      shop.rooms.setState(ANA, shop.group, 'm.room.tombstone', '', { body: 'moved', replacement_room: next });
      await shop.push(shop.group, shop.rooms.timeline(shop.group).at(-1)!.id);
    } else await shop.push(next, shop.rooms.timeline(next).find(({ stateKey }) => stateKey === BOT)!.id);
    await shop.run();
    await shop.ask('hello', { room: next, sender: owner });
    await shop.run();
    return inputs[0]!.recent.map(({ text }) => text);
  };

  it('is remembered in it', async () => {
    expect(await replacing(true)).toEqual(['a secret', 'hello']);
  });

  it('is not, where only the new room says so', async () => {
    expect(await replacing(false)).toEqual(['hello']);
  });
});
