/** Encrypted messages can't be read: a direct room is told so, and nothing is kept. */
import { describe, expect, it } from 'vitest';
import { type Room, roomOf } from '../gate/homeserver.ts';
import { event } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

const cipher = (id: string) => event(id, 'm.room.encrypted', { content: { ciphertext: 'x' } });

function inbox(policy: string, people: readonly string[], room: Partial<Room> = {}) {
  const made = inboxOf({ env: { MATRIX_GROUP_ROOMS: policy } });
  made.server.rooms.set(ROOM, roomOf([BOT, ...people], room));
  return made;
}

describe('an encrypted message', () => {
  it.each([
    ['silent', ['@ana:hs'], true],
    ['gate', ['@ana:hs'], true],
    ['answer', ['@ana:hs', '@ben:hs'], true],
    ['gate', ['@ana:hs', '@ben:hs'], false],
    ['silent', ['@ana:hs', '@ben:hs'], false],
  ])('under `%s` with %j: one notice for a direct room', async (policy, people, told) => {
    const made = inbox(policy, people);
    await made.push(cipher('$a'), cipher('$b'));
    const windows = made.sent.map(({ kind, detail }) => [kind, detail]);
    const notice = ['notice', { kind: 'encrypted', window: 'once' }];
    expect(windows).toEqual(told ? [notice, notice] : []);
    expect(await made.buffer()).toEqual([]);
    expect(await made.record('$a')).toMatchObject({ decided: { reason: 'encrypted' }, finished: true });
  });

  it.each([
    { state: { 'm.room.tombstone': { replacement_room: '!new:hs' } } },
    { creation: { sender: '@ana:hs', content: { type: 'm.space' } } },
  ])('gets no notice where nothing is answered: %j', async (room) => {
    const made = inbox('gate', ['@ana:hs'], room);
    await made.push(cipher('$a'));
    expect(made.sent).toEqual([]);
  });
});
