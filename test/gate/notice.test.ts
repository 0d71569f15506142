/** Notices: the row that makes each one of its kind and window, and what a worker sends of them. */
import { describe, expect, it } from 'vitest';
import { composeWork } from '../../functions/adapters/lambda/compose.ts';
import type { Notice } from '../../functions/gate/decide.ts';
import { keys } from '../../functions/gate/keys.ts';
import { putNotice, setNoticeEvent } from '../../functions/gate/notice.ts';
import type { RoomEvent } from '../../functions/matrix/event.ts';
import { sendNotice } from '../../functions/work/notice.ts';
import { memoryTable } from '../fakes/table.ts';
import { BOT, type InboxOptions, inboxOf, ROOM } from '../inbox/inbox.ts';
import { type Room, refused, roomOf, unreachable } from './homeserver.ts';

const notice: Notice = { kind: 'loop', window: '7' };

describe('the row', () => {
  it('is put once for a kind and window, and keeps the first event', async () => {
    const table = memoryTable();
    expect(await putNotice(table, ROOM, notice, { body: 'first' }, 0)).toEqual({
      content: { body: 'first' },
    });
    expect(await putNotice(table, ROOM, notice, { body: 'second' }, 0)).toEqual({
      content: { body: 'first' },
    });
    const others: readonly [string, Notice][] = [
      [ROOM, { ...notice, window: '8' }],
      [ROOM, { ...notice, kind: 'stale' }],
      ['!other:hs', notice],
    ];
    for (const [room, other] of others)
      expect(await putNotice(table, room, other, { body: 'other' }, 0)).toEqual({
        content: { body: 'other' },
      });
    await setNoticeEvent(table, ROOM, notice, '$a');
    await setNoticeEvent(table, ROOM, notice, '$b');
    expect(await putNotice(table, ROOM, notice, {}, 0)).toEqual({ content: { body: 'first' }, event: '$a' });
  });

  it('is not made by its event', async () => {
    const table = memoryTable();
    await setNoticeEvent(table, ROOM, notice, '$a');
    expect(await table.get(keys.notice(ROOM, 'loop', '7'))).toBeUndefined();
  });
});

function worker(options: InboxOptions = {}, room: Partial<Room> = {}) {
  const inbox = inboxOf(options);
  inbox.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs'], room));
  const posts: { txnId: string; content: Readonly<Record<string, unknown>> }[] = [];
  const messages: RoomEvent[] = [];
  const matrix = {
    ...inbox.server.client,
    messages: async () => ({ events: messages }),
    async send(_room: string, _type: string, txnId: string, content: object) {
      posts.push({ txnId, content: { ...content } });
      return `$sent${posts.length}`;
    },
  };
  const agent = { run: () => expect.fail('no turn is run here') };
  const work = composeWork({
    ...inbox.parts,
    matrix,
    agent,
    tools: [],
    options: { mentionAsker: false, liveEdits: false },
  });
  return {
    ...inbox,
    posts,
    messages,
    send: (kind: Notice['kind'], window = '7') =>
      sendNotice(work, { room: ROOM, event: '$e', notice: { kind, window } }, { remaining: () => 600_000 }),
  };
}
const event = (id: string, sender: string): RoomEvent => ({
  id,
  room: ROOM,
  sender,
  type: 'm.room.message',
  content: {},
  ts: 1,
  redactedBecause: false,
  softFailed: false,
});

describe('a worker', () => {
  it('sends a notice once, as a notice, and knows its event as the bot’s', async () => {
    const { send, posts, parts } = worker();
    expect(await send('loop')).toEqual({ kind: 'done' });
    expect(await send('loop')).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
    expect(posts[0]!.content).toMatchObject({ msgtype: 'm.notice', 'm.mentions': {} });
    expect(await parts.tables.gate.get(keys.own(ROOM, '$sent1'))).toMatchObject({ kind: 'notice' });
    await send('loop', '8');
    await send('rate-limited');
    expect(new Set(posts.map(({ txnId }) => txnId)).size).toBe(3);
  });

  it.each([
    ['silent', 0],
    ['gate', 1],
    ['answer', 1],
  ])('sends %2$s in a group under `%s`', async (policy, sent) => {
    const { send, posts } = worker({ env: { MATRIX_GROUP_ROOMS: policy } });
    expect(await send('rate-limited')).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(sent);
  });

  it('sends none where the bot may not speak, or is not', async () => {
    const mute = worker({}, { state: { 'm.room.power_levels': { events_default: 1 } } });
    expect(await mute.send('loop')).toEqual({ kind: 'done' });
    const weak = worker({ env: { MATRIX_GROUP_ROOMS: 'gate', GROUP_CHAT_REQUIRE_POWER_LEVEL: '1' } });
    expect(await weak.send('loop')).toEqual({ kind: 'done' });
    const out = worker();
    out.server.before = () => {
      throw refused(403);
    };
    expect(await out.send('loop')).toEqual({ kind: 'done' });
    expect([...mute.posts, ...weak.posts, ...out.posts]).toEqual([]);
  });

  it('comes back to a room that can’t be read', async () => {
    const { send, server, posts } = worker();
    server.before = () => {
      throw unreachable();
    };
    expect(await send('loop')).toMatchObject({ kind: 'again' });
    server.before = () => undefined;
    expect(await send('loop')).toEqual({ kind: 'done' });
    expect(posts).toHaveLength(1);
  });

  it('excuses only what is the room’s newest message still', async () => {
    const { send, posts, messages } = worker({}, { joined: [BOT, '@ana:hs'] });
    messages.unshift(event('$e', '@ana:hs'), event('$older', '@ana:hs'));
    messages.unshift(event('$newer', '@ana:hs'));
    await send('stale');
    expect(posts).toEqual([]);
    messages.shift();
    messages.unshift(event('$own', BOT));
    await send('stale', '8');
    expect(posts).toHaveLength(1);
  });
});
