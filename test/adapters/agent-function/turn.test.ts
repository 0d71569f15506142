/** A turn of somebody's own agent, over the worker's own code in virtual time. */
import { describe, expect, it } from 'vitest';
import { ownAgent, type Transport } from '../../../functions/adapters/agent-function/own.ts';
import { ANA } from '../../work/people.ts';
import { Shop } from '../../work/shop.ts';

type Asked = { readonly attempt: number; readonly steps: readonly { readonly type: string }[] };

/** A shop whose agent answers each request in turn with these lines, and what it was asked. */
function shopOf(...answers: readonly (readonly object[])[]) {
  const shop = new Shop();
  const asked: Asked[] = [];
  const transport: Transport = async function* (request) {
    const lines = answers[asked.length]!;
    asked.push(JSON.parse(request));
    for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
  };
  shop.agent = ownAgent(transport, shop.clock);
  return { shop, asked };
}

const START = { type: 'start', resumable: true };
const text = (text: string) => ({ type: 'text', text });

describe('a turn of an own agent', () => {
  it('that breaks off ends as an error, keeps what was received, and tells the room', async () => {
    const call = { type: 'tool-call', id: '1', name: 'paint', arguments: {} };
    const { shop } = shopOf([text('It is '), call]);
    const turn = await shop.ask('paint it');
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'error', reason: 'agent_broke_off', attempt: 1 });
    expect((await shop.events(turn)).slice(1)).toEqual([
      { type: 'step-start' },
      text('It is '),
      call,
      { type: 'error', code: 'agent_broke_off' },
      { type: 'turn_status', status: 'error', reason: 'agent_broke_off' },
    ]);
    expect(shop.bodies()).toEqual([
      expect.stringContaining(`I could not answer: something went wrong. ${turn}`),
    ]);
  });

  it('shows tools that it does not have here, and runs none', async () => {
    const { shop } = shopOf([
      { type: 'tool-call', id: '1', name: 'pin_room_fact', arguments: {} },
      { type: 'tool-result', id: '1', name: 'pin_room_fact', result: 'done' },
      text('Blue.'),
      { type: 'done' },
    ]);
    const turn = await shop.ask('paint it');
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'complete' });
    expect(shop.bodies()).toEqual(['Blue.']);
  });

  it('asks its person, and goes on with the answer in the same attempt', async () => {
    const { shop, asked } = shopOf(
      [START, text('Hm.'), { type: 'step-end' }, { type: 'waiting', question: 'May I?', who: '@eve:hs' }],
      [START, { type: 'text', part: 2, text: 'Blue.' }, { type: 'done' }],
    );
    const turn = await shop.ask('paint it');
    await shop.run();
    expect(shop.head(turn)).toMatchObject({ status: 'waiting' });
    const [question] = shop.posts();
    expect(question!.body).toContain('May I?');
    const relation = { rel_type: 'm.annotation', event_id: question!.id, key: '👍' };
    const reaction = shop.rooms.send(ANA, shop.direct, 'm.reaction', { 'm.relates_to': relation });
    await shop.push(shop.direct, reaction);
    await shop.run();
    expect(asked.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(asked[1]!.steps.map(({ type }) => type)).toEqual([
      ...['step-start', 'text', 'step-end'],
      ...['waiting', 'consent'],
    ]);
    expect(shop.bodies().at(-1)).toBe('Hm.\n\nBlue.');
  });

  it('that says nothing is answered for', async () => {
    const { shop } = shopOf([{ type: 'done' }]);
    await shop.ask('paint it');
    await shop.run();
    expect(shop.bodies()).toEqual(['I have nothing to say to that.']);
  });
});
