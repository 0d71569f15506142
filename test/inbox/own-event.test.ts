/** What the bot itself has sent comes back: it is kept as the bot's, and never gated. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { invalidate } from '../../functions/gate/picture.ts';
import { TURN_KEY } from '../../functions/matrix/own-key.ts';
import { roomOf } from '../gate/homeserver.ts';
import { inThread, type More, START, said } from './events.ts';
import { BOT, inboxOf, PREFIX, ROOM } from './inbox.ts';

const TTL = 30 * 60_000;

/** A group that the gate has seen. */
async function inbox(policy = 'gate', joined = [BOT, '@ana:hs', '@ben:hs']) {
  const made = inboxOf({ env: { MATRIX_GROUP_ROOMS: policy } });
  made.server.rooms.set(ROOM, roomOf(joined));
  await made.push(said('$first'));
  const { gate } = made.parts.tables;
  return {
    ...made,
    own: (id: string) => gate.get(keys.own(ROOM, id)),
    mark: async (root: string) => (await gate.get(keys.mark(ROOM, root)))?.until,
    words: async () => (await made.buffer()).filter(({ event }) => event !== '$first'),
  };
}
const echo = (id: string, part: string, { content = {}, ...more }: More = {}) =>
  said(id, { sender: BOT, ...more, content: { [TURN_KEY]: { turn: 'turn', part }, ...content } });

describe('an answer of ours', () => {
  it('is known as ours, and in a group the bot’s words in memory', async () => {
    const made = await inbox();
    await made.push(echo('$a', 'set#0'));
    expect(await made.own('$a')).toMatchObject({ turn: 'turn', part: 'set#0', kind: 'answer', at: START });
    expect(await made.words()).toMatchObject([{ event: '$a', sender: BOT, body: 'words of $a', bot: true }]);
    expect((await made.record('$a')).decided).toBeUndefined();
    expect(made.sent).toEqual([]);
  });

  it('keeps its thread alive from when it was sent: not by coming again', async () => {
    const made = await inbox();
    const answer = echo('$a', 'set#0', { content: inThread('$root') });
    await made.push(answer);
    expect(await made.mark('$root')).toBe(START + TTL);
    await made.clock.advance(TTL);
    await made.push(answer, said('$b', { content: inThread('$root') }));
    expect(await made.mark('$root')).toBe(START + TTL);
    expect((await made.record('$b')).decided?.reason).toBe('ignored');
  });

  it('makes what is said in its thread active, in the same transaction too', async () => {
    const made = await inbox();
    await made.push(said('$a'), echo('$answer', 'set#0'), said('$b', { content: inThread('$answer') }));
    expect((await made.record('$b')).decided?.reason).toBe('active-thread');
  });

  it('is kept once, whoever puts it first', async () => {
    const made = await inbox();
    await made.push(echo('$a', 'set#0'));
    await made.clock.advance(1_000);
    await made.push(echo('$a', 'set#0', { origin_server_ts: START + 1_000 }));
    expect(await made.own('$a')).toMatchObject({ at: START });
    expect(await made.words()).toHaveLength(1);
  });

  it('is not captured in a direct room, under another policy, or where no picture says what room it is', async () => {
    for (const made of [
      await inbox('gate', [BOT, '@ana:hs']),
      await inbox('silent'),
      await inbox('answer'),
    ]) {
      await made.push(echo('$a', 'set#0'));
      expect(await made.own('$a')).toBeDefined();
      expect(await made.words()).toEqual([]);
    }
    const unseen = inboxOf();
    await unseen.push(echo('$a', 'set#0'));
    expect(await unseen.buffer()).toEqual([]);
    expect(unseen.server.calls).toEqual([]);
  });

  it('is captured by the last picture, also a stale one', async () => {
    const made = await inbox();
    await invalidate(made.parts.tables.gate, ROOM);
    await made.push(echo('$a', 'set#0'));
    expect(await made.words()).toHaveLength(1);
  });
});

describe('what is no answer', () => {
  it.each([
    ['note#0', 'notice'],
    ['ask#7', 'question'],
  ])('is known as ours, keeps no thread alive and is not captured: %s', async (part, kind) => {
    const made = await inbox();
    await made.push(echo('$a', part, { content: inThread('$root') }));
    expect(await made.own('$a')).toMatchObject({ kind });
    expect([await made.mark('$root'), await made.words()]).toEqual([undefined, []]);
  });

  it('a draft is not captured; its final edit is, under the draft’s id', async () => {
    const made = await inbox();
    await made.push(echo('$draft', 'draft#0'));
    expect(await made.words()).toEqual([]);
    const edit = (part: string, body: string) => ({
      'm.relates_to': { rel_type: 'm.replace', event_id: '$draft' },
      'm.new_content': { msgtype: 'm.text', body, [TURN_KEY]: { turn: 'turn', part } },
    });
    await made.push(echo('$edit1', 'draft#0', { content: edit('draft#0', 'half') }));
    expect(await made.words()).toEqual([]);
    await made.push(echo('$edit2', 'set#0', { content: edit('set#0', 'all of it') }));
    expect(await made.words()).toMatchObject([{ event: '$draft', body: 'all of it', bot: true }]);
  });

  it('a message of ours without a turn is nobody’s words', async () => {
    const made = await inbox();
    await made.push(said('$a', { sender: BOT }), said('$b', { sender: `@${PREFIX}x:hs` }));
    expect(await made.words()).toEqual([]);
    expect((await made.record('$a')).decided).toBeUndefined();
  });

  it('a turn’s name in somebody else’s message is not believed', async () => {
    const made = await inbox();
    await made.push(echo('$a', 'set#0', { sender: '@ana:hs' }));
    expect(await made.own('$a')).toBeUndefined();
    expect((await made.record('$a')).decided?.reason).toBe('ignored');
  });

  it('a redaction of ours takes the bot’s words back', async () => {
    const made = await inbox();
    await made.push(echo('$a', 'set#0'));
    await made.push(said('$r', { type: 'm.room.redaction', sender: BOT, content: { redacts: '$a' } }));
    expect(await made.words()).toEqual([]);
    await made.push(echo('$a', 'set#0'));
    expect(await made.words()).toEqual([]);
  });
});
