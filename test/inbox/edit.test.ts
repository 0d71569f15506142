/** An edit revises what memory has, and is never answered. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/memory/keys.ts';
import { roomOf } from '../gate/homeserver.ts';
import { asked, event, type More, START, said } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

function inbox(env: Record<string, string> = {}, joined = [BOT, '@ana:hs', '@ben:hs']) {
  const made = inboxOf({ env: { MATRIX_GROUP_ROOMS: 'gate', ...env } });
  made.server.rooms.set(ROOM, roomOf(joined));
  const edit = keys.edit({ tenant: 'hs', room: ROOM }, '$a', '$e');
  return {
    ...made,
    words: async () => (await made.buffer()).map(({ body }) => body),
    kept: () => made.parts.tables.memory.get(edit),
  };
}
const edit = (id: string, body: string, { content = {}, ...more }: More = {}) =>
  asked(id, {
    ...more,
    content: {
      'm.relates_to': { rel_type: 'm.replace', event_id: '$a' },
      'm.new_content': { msgtype: 'm.text', body },
      ...content,
    },
  });

describe('an edit', () => {
  it('revises memory and is no second question, though it mentions the bot', async () => {
    const made = inbox();
    await made.push(said('$a'));
    await made.push(edit('$e', 'new'));
    expect(await made.words()).toEqual(['new']);
    expect(made.sent).toEqual([]);
    expect(await made.record('$e')).toMatchObject({
      decided: { kind: 'edit', target: '$a' },
      finished: true,
    });
  });

  it('leaves an accepted question as it was asked', async () => {
    const made = inbox();
    await made.push(asked('$a'), edit('$e', 'new'));
    expect(made.sent.filter(({ kind }) => kind === 'turn')).toHaveLength(1);
    expect((await made.record('$a')).decided?.reason).toBe('mentioned');
  });

  it('may come before its original', async () => {
    const made = inbox();
    await made.push(edit('$e', 'new'));
    await made.push(said('$a'));
    expect(await made.words()).toEqual(['new']);
  });

  it('counts by time, then id, in whatever order edits come', async () => {
    const made = inbox();
    await made.push(said('$a'));
    await made.push(edit('$late', 'latest', { origin_server_ts: START }));
    await made.push(edit('$early', 'earlier', { origin_server_ts: START - 5 }));
    expect(await made.words()).toEqual(['latest']);
    await made.push(edit('$zlast', 'greater id', { origin_server_ts: START }));
    expect(await made.words()).toEqual(['greater id']);
  });

  it('of somebody else, or of an edit, revises nothing', async () => {
    const made = inbox();
    await made.push(said('$a'), edit('$theirs', 'theirs', { sender: '@ben:hs' }), edit('$e', 'mine'));
    const ofEdit = { 'm.relates_to': { rel_type: 'm.replace', event_id: '$e' } };
    await made.push(edit('$edit2', 'edit of an edit', { content: ofEdit }));
    expect(await made.words()).toEqual(['mine']);
  });

  it('without new content is nothing anybody said', async () => {
    const made = inbox();
    await made.push(said('$a'), edit('$e', '', { content: { 'm.new_content': 'odd' } }));
    expect(await made.words()).toEqual(['words of $a']);
    expect((await made.record('$e')).decided).toMatchObject({ kind: 'other', reason: 'odd-edit' });
  });

  it('that is redacted leaves the edit before it, then the first words', async () => {
    const made = inbox();
    const redact = (target: string) => event(`${target}r`, 'm.room.redaction', { redacts: target });
    await made.push(said('$a'), edit('$e1', 'one', { origin_server_ts: START - 1 }), edit('$e2', 'two'));
    await made.push(redact('$e2'));
    expect(await made.words()).toEqual(['one']);
    await made.push(redact('$e1'));
    expect(await made.words()).toEqual(['words of $a']);
  });

  it('is kept only where its original would be', async () => {
    const kept = inbox();
    await kept.push(edit('$e', 'new'));
    expect(await kept.kept()).toMatchObject({ body: 'new' });
    const others = [
      inbox({}, [BOT, '@ana:hs']),
      inbox({ MATRIX_GROUP_ROOMS: 'silent' }),
      inbox({ MATRIX_UNCAPTURED: '@ana:*' }),
      inbox({ MATRIX_ALLOWED_USERS: '@ben:hs', MATRIX_CAPTURE: 'allowed' }),
    ];
    for (const made of others) {
      await made.push(edit('$e', 'new'));
      expect((await made.record('$e')).finished).toBe(true);
      expect(await made.kept()).toBeUndefined();
    }
  });
});
