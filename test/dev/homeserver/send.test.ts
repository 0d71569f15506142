import { describe, expect, it } from 'vitest';
import { alice, bob, bot, faultOf, roomOf, say, smallWorld, text } from './small-world.ts';

const MESSAGE = 'm.room.message';

describe('a client transaction id', () => {
  it('makes one event, whatever is sent under it again', () => {
    const { world } = smallWorld();
    const room = roomOf(world);
    const transaction = { owner: 'token', id: '1' };
    const first = world.send(alice, room, MESSAGE, text('one'), transaction);
    expect(world.send(alice, room, MESSAGE, text('two'), transaction)).toBe(first);
    expect(world.event(alice, room, first).content.body).toBe('one');
    expect(world.timeline(room).filter(({ type }) => type === MESSAGE)).toHaveLength(1);
  });

  it('is one for each owner, room and type, and the service is one owner for all its users', () => {
    const { world } = smallWorld();
    world.register('bot_a', 'service');
    const [room, other] = [roomOf(world, [bot, '@bot_a:hs.test']), roomOf(world, [bot])];
    const mine = { owner: 'service', id: '1' };
    const first = world.send(bot, room, MESSAGE, text('x'), mine);
    expect(world.send('@bot_a:hs.test', room, MESSAGE, text('x'), mine)).toBe(first);
    const others = [
      world.send(bot, other, MESSAGE, text('x'), mine),
      world.send(bot, room, 'x.type', {}, mine),
      world.send(alice, room, MESSAGE, text('x'), { owner: 'token', id: '1' }),
      world.redact(bot, room, first, { transaction: mine }),
    ];
    expect(new Set([first, ...others]).size).toBe(5);
  });

  it('is not spent by a call that was refused', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    const transaction = { owner: 'token', id: '1' };
    expect(faultOf(() => world.send(bob, room, MESSAGE, {}, transaction)).status).toBe(400);
    const sent = world.send(bob, room, MESSAGE, text('x'), transaction);
    expect(world.event(bob, room, sent).content.body).toBe('x');
  });

  it('is forgotten after an hour, or at once when a fault says so', async () => {
    const { world, clock } = smallWorld();
    const room = roomOf(world);
    const send = () => world.send(alice, room, MESSAGE, text('x'), { owner: 'token', id: '1' });
    const first = send();
    await clock.advance(3_599_000);
    expect(send()).toBe(first);
    await clock.advance(2_000);
    const second = send();
    expect(second).not.toBe(first);
    world.forgetTransactions();
    expect(send()).not.toBe(second);
  });

  it('is shown to its owner only', () => {
    const { world } = smallWorld();
    const room = roomOf(world, [bob]);
    const id = world.send(alice, room, MESSAGE, text('x'), { owner: 'token', id: '7' });
    const seenBy = (reader: { user: string; owner: string }) =>
      (
        world.clientEvent(world.event(alice, room, id), { legacy: true, reader }).unsigned as {
          transaction_id?: string;
        }
      ).transaction_id;
    expect(seenBy({ user: alice, owner: 'token' })).toBe('7');
    expect(seenBy({ user: alice, owner: 'another' })).toBeUndefined();
    expect(seenBy({ user: bob, owner: 'token' })).toBeUndefined();
  });
});

describe('what is refused of an event', () => {
  const { world } = smallWorld();
  const room = roomOf(world);
  const old = roomOf(world, [], '5');
  const send = (content: Record<string, unknown>, where = room) => world.send(alice, where, MESSAGE, content);

  it.each([
    ['no body', { msgtype: 'm.text' }, "'body' not in content"],
    ['no type', { body: 'x' }, "'msgtype' not in content"],
    ['a body that is no text', { msgtype: 'm.text', body: 1 }, "'body' not a string type"],
    ['a fraction', { ...text('x'), deep: [{ n: 1.5 }] }, 'Bad JSON value: float'],
    ['a large integer', { ...text('x'), n: 2 ** 53 }, 'JSON integer out of range'],
    ['odd mentions', { ...text('x'), 'm.mentions': [] }, "m.mentions is not of type 'object'"],
  ])('%s: 400', (_, content, error) => {
    expect(faultOf(() => send(content))).toMatchObject({ status: 400, error });
  });

  it('is not a fraction in an old room, nor odd user ids in mentions', () => {
    expect(send({ ...text('x'), n: 1.5 }, old)).toMatch(/^\$/);
    expect(send({ ...text('x'), 'm.mentions': { user_ids: 'x' } })).toMatch(/^\$/);
  });

  it('is its size over 65,536 bytes, counted in bytes of the signed event: 413', () => {
    expect(send(text('x'.repeat(64_500)))).toMatch(/^\$/);
    expect(faultOf(() => send(text('x'.repeat(65_000))))).toMatchObject({
      status: 413,
      errcode: 'M_TOO_LARGE',
    });
    expect(faultOf(() => send(text('é'.repeat(33_000)))).status).toBe(413);
    expect(faultOf(() => world.send(alice, room, 't'.repeat(256), {})).status).toBe(413);
  });

  it('changes nothing', () => {
    const before = world.timeline(room).length;
    faultOf(() => send({}));
    faultOf(() => world.send(bob, room, MESSAGE, text('x')));
    expect(world.timeline(room)).toHaveLength(before);
  });
});

describe('a relation', () => {
  const { world } = smallWorld();
  const room = roomOf(world, [bob]);
  const root = say(world, alice, room, 'root');
  const relate = (user: string, rel_type: string, event_id: string, key?: string, type = MESSAGE) =>
    world.send(user, room, type, {
      ...text('x'),
      'm.relates_to': { rel_type, event_id, ...(key ? { key } : {}) },
    });

  it.each(['m.replace', 'm.thread', 'm.annotation'])('%s to an unknown event is refused', (rel) => {
    expect(faultOf(() => relate(alice, rel, '$no', 'k')).error).toBe("Can't send relation to unknown event");
    const elsewhere = say(world, alice, roomOf(world), 'x');
    expect(faultOf(() => relate(alice, rel, elsewhere, 'k')).status).toBe(400);
  });

  it('of a reply is not looked at', () => {
    const reply = { ...text('x'), 'm.relates_to': { 'm.in_reply_to': { event_id: '$no' } } };
    expect(world.send(alice, room, MESSAGE, reply)).toMatch(/^\$/);
  });

  it('makes no thread on an event that has one', () => {
    const edit = relate(alice, 'm.replace', root);
    const threaded = relate(bob, 'm.thread', root);
    for (const id of [edit, threaded])
      expect(faultOf(() => relate(alice, 'm.thread', id)).error).toBe(
        'Cannot start threads from an event with a relation',
      );
    expect(relate(bob, 'm.replace', root)).toMatch(/^\$/);
  });

  it('is one reaction for each key and person, until it is redacted', () => {
    const react = (user: string, key?: string) => relate(user, 'm.annotation', root, key, 'm.reaction');
    const first = react(alice, '👍');
    expect(faultOf(() => react(alice, '👍'))).toMatchObject({
      status: 400,
      errcode: 'M_DUPLICATE_ANNOTATION',
    });
    expect(react(alice, '👎')).toMatch(/^\$/);
    expect(react(bob, '👍')).toMatch(/^\$/);
    expect(faultOf(() => react(alice)).error).toBe('Missing aggregation key');
    world.redact(alice, room, first);
    expect(react(alice, '👍')).toMatch(/^\$/);
  });
});

describe('state', () => {
  it('that says the same again is the same event', () => {
    const { world } = smallWorld();
    const room = roomOf(world);
    const set = (content: object) => world.setState(alice, room, 'm.room.topic', '', { ...content });
    const first = set({ topic: 'x', n: { a: 1, b: 2 } });
    expect(set({ n: { b: 2, a: 1 }, topic: 'x' })).toBe(first);
    expect(set({ topic: 'y' })).not.toBe(first);
  });

  it('is not changed through what a caller or reader holds', () => {
    const { world } = smallWorld();
    const room = roomOf(world);
    const content = { topic: 'x', n: { a: 1 } };
    world.setState(alice, room, 'm.room.topic', '', content);
    content.n.a = 2;
    expect(world.stateEvent(alice, room, 'm.room.topic').content).toEqual({ topic: 'x', n: { a: 1 } });
  });
});
