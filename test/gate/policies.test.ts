/** What the three policies do with a room, through the inbox. */
import { describe, expect, it } from 'vitest';
import { asked, event, quoting, said } from '../inbox/events.ts';
import { BOT, inboxOf, ROOM } from '../inbox/inbox.ts';
import { type Room, refused, roomOf } from './homeserver.ts';

const GROUP = [BOT, '@ana:hs', '@ben:hs'];

function inbox(policy: string, room: Partial<Room> = {}) {
  const made = inboxOf({ env: { MATRIX_GROUP_ROOMS: policy } });
  made.server.rooms.set(
    ROOM,
    roomOf(GROUP, { members: { '@ana:hs': { displayname: 'Ana' } }, events: { $bots: BOT }, ...room }),
  );
  return made;
}
async function decided(made: ReturnType<typeof inbox>, id: string) {
  const { reason, roomKind, name, captured, turn } = (await made.record(id)).decided!;
  return { reason, roomKind, name, captured, answered: turn !== undefined };
}
const space = { creation: { sender: '@ana:hs', content: { type: 'm.space' } } };
const tombstone = { state: { 'm.room.tombstone': { replacement_room: '!new:hs' } } };

describe('`silent`', () => {
  it('answers and captures nothing in groups, and looks nobody up', async () => {
    const made = inbox('silent');
    await made.push(asked('$a'), said('$b', { content: quoting('$bots') }));
    const off = { reason: 'group-rooms-off', roomKind: 'group', name: '@ana:hs', captured: false };
    expect(await decided(made, '$a')).toEqual({ ...off, answered: false });
    expect(await decided(made, '$b')).toEqual({ ...off, answered: false });
    expect(made.server.calls).not.toContain('member @ana:hs');
    expect(made.server.calls).not.toContain('event');
    expect(await made.buffer()).toEqual([]);
    expect(made.sent).toEqual([]);
  });

  it('answers direct rooms', async () => {
    const made = inbox('silent', { joined: [BOT, '@ana:hs'] });
    await made.push(said('$a'));
    expect(await decided(made, '$a')).toMatchObject({ reason: 'dm', name: 'Ana', answered: true });
  });

  it('is what any other word means', async () => {
    const made = inbox('Gate');
    await made.push(asked('$a'));
    expect((await decided(made, '$a')).reason).toBe('group-rooms-off');
  });
});

describe('`gate`', () => {
  it('captures whatever is said in a group, and nothing of a direct room', async () => {
    const made = inbox('gate');
    await made.push(asked('$a'), said('$b'));
    expect((await made.buffer()).map(({ event: id, name }) => [id, name])).toEqual([
      ['$a', 'Ana'],
      ['$b', 'Ana'],
    ]);
    const direct = inbox('gate', { joined: [BOT, '@ana:hs'] });
    await direct.push(said('$a'));
    expect(await decided(direct, '$a')).toMatchObject({ reason: 'dm', captured: false });
    expect(await direct.buffer()).toEqual([]);
  });

  it('captures a notice as a bot’s, and never answers one', async () => {
    const made = inbox('gate');
    await made.push(asked('$a', { content: { msgtype: 'm.notice', 'm.mentions': { user_ids: [BOT] } } }));
    expect(await decided(made, '$a')).toMatchObject({ reason: 'notice', captured: true, answered: false });
    expect(await made.buffer()).toMatchObject([{ event: '$a', bot: true }]);
  });

  it('takes a direct room that grew for a group from that message on, with a new conversation', async () => {
    const made = inbox('gate', { joined: [BOT, '@ana:hs'] });
    await made.push(said('$private'));
    made.server.rooms.set(ROOM, roomOf(GROUP));
    await made.push(
      event('$join', 'm.room.member', { state_key: '@ben:hs', content: { membership: 'join' } }),
      said('$b'),
      asked('$c'),
    );
    expect(await decided(made, '$b')).toMatchObject({ reason: 'ignored', roomKind: 'group' });
    const [before, after] = [await made.record('$private'), await made.record('$c')];
    expect(before.decided!.conversation).toBeDefined();
    expect(after.decided!.conversation).toBeDefined();
    expect(after.decided!.conversation).not.toBe(before.decided!.conversation);
    expect((await made.buffer()).map(({ event: id }) => id)).toEqual(['$b', '$c']);
  });
});

describe('`answer`', () => {
  it('takes every room for a direct one and reads neither members nor names', async () => {
    const made = inbox('answer');
    await made.push(said('$a'));
    expect(await decided(made, '$a')).toEqual({
      reason: 'answer-all',
      roomKind: 'direct',
      name: '@ana:hs',
      captured: false,
      answered: true,
    });
    for (const call of ['joined', 'invited', 'member @ana:hs']) expect(made.server.calls).not.toContain(call);
  });

  it('is not in a room it was put out of', async () => {
    for (const room of [{ members: { [BOT]: { membership: 'ban' } } }, undefined]) {
      const made = inbox('answer', room);
      if (!room)
        made.server.before = () => {
          throw refused(403);
        };
      await made.push(said('$a'));
      expect((await made.record('$a')).decided).toMatchObject({ kind: 'other', reason: 'not-in-room' });
      expect(made.sent).toEqual([]);
    }
  });

  it('counts the level for encrypted events in encrypted rooms', async () => {
    const made = inbox('answer', {
      state: {
        'm.room.encryption': { algorithm: 'm.megolm.v1.aes-sha2' },
        'm.room.power_levels': { events: { 'm.room.encrypted': 50 } },
      },
    });
    await made.push(said('$a'));
    expect((await decided(made, '$a')).reason).toBe('power-level');
  });

  it('serves a direct room as one again when the policy changes', async () => {
    const first = inbox('answer', { joined: [BOT, '@ana:hs'] });
    await first.push(said('$a'));
    const then = inboxOf({ tables: first.parts.tables, server: first.server });
    await then.push(said('$b'));
    expect((await then.record('$b')).decided).toMatchObject({ reason: 'dm', roomKind: 'direct' });
    expect(await then.buffer()).toEqual([]);
  });
});

describe.each(['silent', 'gate', 'answer'])('`%s`', (policy) => {
  it.each([
    ['space', space],
    ['tombstoned', tombstone],
  ])('never answers: %s', async (reason, room) => {
    for (const joined of [GROUP, GROUP.slice(0, 2)]) {
      const made = inbox(policy, { ...room, joined });
      await made.push(asked('$a'));
      expect(await decided(made, '$a')).toMatchObject({ reason, answered: false });
    }
  });
});
