/** What the inbox leaves for the workers: queue messages of ids only, and turns that one answer can take along. */
import { describe, expect, it } from 'vitest';
import { composeWork } from '../../functions/adapters/lambda/compose.ts';
import { messages, parseMessage } from '../../functions/adapters/sqs/messages.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { gather } from '../../functions/work/along.ts';
import { roomOf } from '../gate/homeserver.ts';
import { asked, said } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

describe('a queue message', () => {
  const odd = `!${'ü\n"\uffff😀'.repeat(40)}:hs`;
  const notice = { kind: 'loop', window: '7' } as const;
  const join = { room: odd, event: '$e', by: '@ana:hs', since: 5 };
  const all = [
    { envelope: messages.turn('turn', 'talk', 'turn.run.1'), message: { kind: 'turn', turn: 'turn' } },
    { envelope: messages.decide(odd, '$e', 0), message: { kind: 'decide', room: odd, event: '$e' } },
    { envelope: messages.join(join), message: { kind: 'join', ...join } },
    {
      envelope: messages.notice(odd, '$e', notice),
      message: { kind: 'notice', room: odd, event: '$e', notice },
    },
  ];

  it.each(all)('holds its version, its kind and ids: $message.kind', ({ envelope, message }) => {
    expect(JSON.parse(envelope.body)).toEqual({ v: 1, ...message });
    expect(parseMessage(envelope.body)).toEqual(message);
    // As SQS takes them, whatever the ids.
    for (const id of [envelope.group, envelope.deduplication]) expect(id).toMatch(/^[\x21-\x7e]{1,128}$/);
    expect(envelope.body).not.toContain('\uffff');
  });

  it('is the same again for the same effect, and another for another', () => {
    const ids = [
      messages.decide(odd, '$e', 0),
      messages.decide(odd, '$f', 0),
      messages.decide(odd, '$e', 1),
      messages.notice(odd, '$e', notice),
      messages.notice(odd, '$e', { ...notice, window: '8' }),
      messages.join(join),
    ].map(({ deduplication }) => deduplication);
    expect(new Set(ids).size).toBe(ids.length);
    expect(messages.decide(odd, '$e', 0)).toEqual(messages.decide(odd, '$e', 0));
  });

  it.each(['', '[]', 'null', '{"v":2,"kind":"turn","turn":"t"}', '{"v":1,"kind":"decide","room":"!r"}'])(
    'of another release, or odd, is none: %s',
    (body) => {
      expect(parseMessage(body)).toBeUndefined();
    },
  );
});

describe('a burst', () => {
  async function along(...events: unknown[]) {
    const made = inboxOf();
    made.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs']));
    await made.push(...events);
    const agent = { run: () => expect.fail('no turn is run here') };
    const options = { mentionAsker: false, liveEdits: false };
    const work = composeWork({ ...made.parts, agent, tools: [], options });
    const [first] = made.sent;
    const list = await gather(work, first!.id, (await getMeta(made.parts.tables.turns, first!.id))!);
    const ids = new Map(
      (events as { event_id: string }[]).map(({ event_id: id }) => [made.deps.turns.idOf(ROOM, id), id]),
    );
    return list.map((turn) => ids.get(turn));
  }
  const thread = { 'm.relates_to': { rel_type: 'm.thread', event_id: '$root' } };
  const ask = (id: string, body = 'words', more: object = {}) =>
    asked(id, { content: { body, ...thread }, ...more });

  it('is what the same sender has waiting right behind, in the conversation', async () => {
    const ben = { sender: '@ben:hs' };
    expect(await along(ask('$1'), asked('$main'), ask('$2'), said('$3', { content: thread }))).toEqual([
      '$1',
      '$2',
      '$3',
    ]);
    expect(await along(ask('$1'), ask('$2'), ask('$ben', 'words', ben), ask('$3'))).toEqual(['$1', '$2']);
  });

  it('is at most 20 messages and 60,000 characters', async () => {
    const many = Array.from({ length: 20 }, (_, n) => ask(`$${n}`));
    expect(await along(...many)).toHaveLength(20);
    const long = 'x'.repeat(20_000);
    expect(await along(ask('$1', long), ask('$2', long), ask('$3', long), ask('$4', 'x'))).toEqual([
      '$1',
      '$2',
      '$3',
    ]);
  });
});
