import { describe, expect, it } from 'vitest';
import { choiceOf, sort } from '../../functions/inbox/sort.ts';
import { parseEvent } from '../../functions/matrix/event.ts';
import { namespace } from '../../functions/matrix/ids.ts';
import { event, quoting, said, stateOf } from './events.ts';
import { BOT, PREFIX } from './inbox.ts';

const ours = namespace(BOT, PREFIX);

function sorted(raw: unknown) {
  const parsed = parseEvent(raw);
  if (!parsed.ok) throw new TypeError(parsed.fault);
  return sort(parsed.event, ours);
}
const edit = (more: object) =>
  said('$e', { content: { 'm.relates_to': { rel_type: 'm.replace', event_id: '$x' }, ...more } });

describe('an event is sorted', () => {
  it('as state by its state key alone, whatever its type and sender', () => {
    for (const type of ['m.room.message', 'm.reaction', 'm.room.encrypted', 'm.room.redaction', 'x.y'])
      for (const sender of [BOT, '@ana:hs'])
        for (const state_key of ['', '@ana:hs', 'x'])
          expect(sorted(event('$e', type, { state_key, sender }))).toEqual({ kind: 'state' });
    expect(sorted(stateOf('$e', 'm.room.topic'))).toEqual({ kind: 'state' });
  });

  it('as ours by its sender, before its type: the bot, and what the exclusive namespace matches', () => {
    const kindOf = (sender: string, type = 'm.room.message') =>
      sorted({ ...said('$e', { sender }), type }).kind;
    expect([kindOf(BOT), kindOf(`@${PREFIX}x:hs`), kindOf(BOT, 'm.reaction')]).toEqual(['own', 'own', 'own']);
    expect([kindOf('@bot:evil'), kindOf(`@${PREFIX}x:evil`), kindOf(`@x${PREFIX}:hs`)]).toEqual([
      'message',
      'message',
      'message',
    ]);
  });

  it('as a redaction, of what its content names before what stands beside it', () => {
    const redaction = (content: object, beside: object) =>
      sorted({ ...event('$e', 'm.room.redaction'), content, ...beside });
    expect(redaction({}, { redacts: '$old' })).toEqual({ kind: 'redaction', target: '$old' });
    expect(redaction({ redacts: '$new' }, { redacts: '$old' })).toEqual({
      kind: 'redaction',
      target: '$new',
    });
    expect(redaction({}, {})).toEqual({ kind: 'other', reason: 'no-target' });
  });

  it('as an edit, by its relation and its new content', () => {
    expect(sorted(edit({ 'm.new_content': { msgtype: 'm.text', body: 'new' } }))).toEqual({
      kind: 'edit',
      target: '$x',
      body: 'new',
    });
    expect(sorted(edit({}))).toEqual({ kind: 'other', reason: 'odd-edit' });
  });

  it('as a reaction, to what and with what', () => {
    const relation = { rel_type: 'm.annotation', event_id: '$x', key: '👍' };
    const reaction = (more: object) =>
      sorted(event('$e', 'm.reaction', { content: { 'm.relates_to': { ...relation, ...more } } }));
    expect(reaction({})).toEqual({ kind: 'reaction', target: '$x', key: '👍' });
    expect(reaction({ key: 7 })).toEqual({ kind: 'other', reason: 'odd-reaction' });
  });

  it('as unreadable if it is encrypted', () => {
    expect(sorted(event('$e', 'm.room.encrypted')).kind).toBe('encrypted');
  });

  it('as a message, a notice among them', () => {
    expect(sorted(said('$e', { content: quoting('$x') }))).toMatchObject({
      kind: 'message',
      content: { body: 'words of $e', quoted: '$x', notice: false },
    });
    expect(sorted(said('$e', { content: { msgtype: 'm.notice' } }))).toMatchObject({
      content: { notice: true },
    });
  });

  it.each([
    ['another type', event('$e', 'm.sticker'), 'not-a-message'],
    ['a notice of the server', said('$e', { content: { msgtype: 'm.server_notice' } }), 'not-a-message'],
    [
      'a wish to verify a device',
      said('$e', { content: { msgtype: 'm.key.verification.request' } }),
      'not-a-message',
    ],
    ['no content: redacted before it came', { ...said('$e'), content: {} }, 'redacted'],
    ['said to be redacted', said('$e', { unsigned: { redacted_because: {} } }), 'redacted'],
    ['a body that is no text', said('$e', { content: { body: 7 } }), 'empty'],
    ['blank words', said('$e', { content: { body: ' \n' } }), 'empty'],
  ])('as nothing anybody said: %s', (_, raw, reason) => {
    expect(sorted(raw)).toEqual({ kind: 'other', reason });
  });
});

it('a choice is one of few words and signs, whatever its skin, case and full stop', () => {
  expect(['👍', '👍🏽', '✅', '✔️', ' Yes. ', 'y'].map(choiceOf)).toEqual(Array(6).fill('yes'));
  expect(['👎', '👎🏿', '❌', '✖️', 'NO!', 'n'].map(choiceOf)).toEqual(Array(6).fill('no'));
  expect(['', '🎉', 'yes and no', 'nope', '👍👍'].map(choiceOf)).toEqual(Array(5).fill(undefined));
});
