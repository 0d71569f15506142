/** Who may redact what, and that nothing of it is left, whichever comes first. */
import { describe, expect, it } from 'vitest';
import { mayRedactOwn } from '../../functions/inbox/record.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { TURN_KEY } from '../../functions/matrix/own-key.ts';
import { history, putSaid } from '../../functions/turns/conversation.ts';
import { headOf } from '../../functions/turns/head.ts';
import { keys as turnKeys } from '../../functions/turns/keys.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { closeForeign } from '../../functions/turns/takeover.ts';
import { type Room, roomOf, unreachable } from '../gate/homeserver.ts';
import { asked, event, START, said } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

const GROUP = [BOT, '@ana:one', '@ben:two'];

function inbox(room: Partial<Room> = {}) {
  const made = inboxOf();
  made.server.rooms.set(ROOM, roomOf(GROUP, room));
  return { ...made, words: async () => (await made.buffer()).map(({ body }) => body) };
}
const ana = { sender: '@ana:one' };
const redaction = (id: string, target: string, sender: string) =>
  event(id, 'm.room.redaction', { sender, content: { redacts: target } });

describe('a redaction counts', () => {
  it.each([
    ['the sender', '@ana:one', {}, true],
    ['somebody of the sender’s server', '@moderator:one', {}, true],
    ['anybody else', '@ben:two', {}, false],
    ['who has the level', '@ben:two', { users: { '@ben:two': 50 } }, true],
    ['who is below it', '@ben:two', { users: { '@ben:two': 50 }, redact: 51 }, false],
    ['everybody, if the level says so', '@ben:two', { redact: 0 }, true],
  ])('from %s', async (_, sender, power, counts) => {
    const made = inbox({ state: { 'm.room.power_levels': power } });
    await made.push(said('$a', ana));
    await made.push(redaction('$r', '$a', sender));
    expect(await made.words()).toEqual(counts ? [] : ['words of $a']);
    expect((await made.record('$a')).redacted).toBe(counts);
    expect(await made.record('$r')).toMatchObject({ decided: { kind: 'redaction' }, finished: true });
  });
});

it('of one’s own words counts also where ids name no server, and then nobody else’s', () => {
  expect(mayRedactOwn('@ana', '@ana')).toBe(true);
  expect(mayRedactOwn('@ben', '@ana')).toBe(false);
});

describe('a redaction before its target', () => {
  it.each([
    ['of its sender', '@ana:one', true],
    ['of its sender’s server', '@admin:one', true],
    ['of anybody else', '@ben:two', false],
  ])('is judged when that arrives: %s', async (_, sender, counts) => {
    const made = inbox();
    await made.push(redaction('$r', '$a', sender));
    await made.push(asked('$a', ana));
    expect(await made.words()).toEqual(counts ? [] : ['words of $a']);
    expect(made.sent.map(({ kind }) => kind)).toEqual(counts ? [] : ['turn']);
    expect((await made.record('$a')).redacted).toBe(counts);
  });

  it('of a moderator holds at once', async () => {
    const made = inbox({ state: { 'm.room.power_levels': { users: { '@ben:two': 50 } } } });
    await made.push(redaction('$r', '$a', '@ben:two'), asked('$a', ana));
    expect([await made.words(), made.sent]).toEqual([[], []]);
  });

  it('keeps eight who asked, so that a crowd of strangers costs little', async () => {
    const made = inbox();
    for (let n = 0; n < 12; n++) await made.push(redaction(`$r${n}`, '$a', `@stranger${n}:three`));
    expect((await made.record('$a')).redactors.size).toBe(8);
  });
});

describe('what is redacted', () => {
  it('is forgotten everywhere: memory, record, the turn and its words', async () => {
    const made = inbox();
    await made.push(asked('$a', ana));
    const { turn } = (await made.record('$a')).decided!;
    await made.push(redaction('$r', '$a', '@ana:one'));
    const { turns } = made.parts.tables;
    expect((await getMeta(turns, turn!))?.input).toBeUndefined();
    const head = headOf((await turns.get(turnKeys.head(turn!)))!);
    expect(head).toMatchObject({ status: 'cancelled', reason: 'redacted' });
    expect(await made.words()).toEqual([]);
  });

  it('stays forgotten when it comes again', async () => {
    const made = inbox();
    await made.push(asked('$a', ana));
    await made.push(redaction('$r', '$a', '@ana:one'));
    made.sent.splice(0);
    await made.push(asked('$a', ana), redaction('$r', '$a', '@ana:one'));
    expect([await made.words(), made.sent]).toEqual([[], []]);
  });

  it('is decided in the same transaction, and gone at its end', async () => {
    const made = inbox();
    await made.push(said('$a', ana), redaction('$r', '$a', '@ana:one'), said('$b', ana));
    expect(await made.words()).toEqual(['words of $b']);
  });

  it('waits with the room: an unreadable one leaves it to the worker', async () => {
    const made = inbox();
    made.server.before = () => {
      throw unreachable();
    };
    await made.push(redaction('$r', '$a', '@ana:one'));
    expect((await made.record('$r')).deferred).toMatchObject({ sent: true });
    expect(made.sent).toMatchObject([{ kind: 'decide', id: '$r' }]);
  });
});

describe('an answer of ours', () => {
  const answer = (id: string, turn = 'turn') =>
    said(id, { sender: BOT, content: { [TURN_KEY]: { turn, part: 'set#0' } } });
  const moderator = `@moderator:${BOT.split(':')[1]}`;

  it('taken back before it came is judged when it comes, by who is of our server', async () => {
    for (const [by, counts] of [
      [moderator, true],
      ['@ana:one', false],
    ] as const) {
      const made = inbox();
      await made.push(said('$first', ana));
      await made.push(redaction('$r', '$answer', by), answer('$answer'));
      expect((await made.words()).length).toBe(counts ? 1 : 2);
    }
  });

  it('takes with it what its turn wrote and history says, once the turn is over', async () => {
    const made = inbox();
    const { turns } = made.parts.tables;
    await made.push(said('$first', ana), asked('$a', ana));
    const turn = made.sent.find(({ kind }) => kind === 'turn')!.id;
    const head = async () => headOf((await turns.get(turnKeys.head(turn)))!);
    const { conversation, at, order } = (await made.record('$a')).decided!;
    const kept = { role: 'assistant', at, order, event: '$a~', text: 'the answer' } as const;
    await putSaid(turns, conversation!, kept, START);
    await made.push(answer('$answer', turn), redaction('$r', '$answer', moderator));
    expect((await made.record('$r')).finished).toBe(false);
    await closeForeign({ ...made.parts, table: turns }, turn, await head(), {
      status: 'error',
      reason: 'stopped',
    });
    await made.clock.advance(20 * 60_000);
    await finishUndone(made.deps, () => false);
    expect(await head()).toMatchObject({ forgotten: true, hot: '[]' });
    expect(await history(turns, conversation!, 9)).toEqual([]);
    expect((await made.record('$r')).finished).toBe(true);
  });
});

it('a redaction by one of ours is judged like any other', async () => {
  const made = inbox();
  await made.push(said('$a', ana), redaction('$r', '$a', BOT));
  expect(await made.words()).toEqual(['words of $a']);
  expect(await made.record('$r')).toMatchObject({ decided: { kind: 'redaction' }, finished: true });
});
