/** What a message quotes, which thread it is in, and how long a homeserver is waited for, through the inbox. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { mark } from '../../functions/gate/mark.ts';
import { type Own, putOwn } from '../../functions/gate/own.ts';
import { memoryTable } from '../fakes/table.ts';
import { asked, inThread, quoting, START, said } from '../inbox/events.ts';
import { BOT, inboxOf, ROOM } from '../inbox/inbox.ts';
import { refused, roomOf, unreachable } from './homeserver.ts';

const TTL = 30 * 60_000;

function inbox() {
  const made = inboxOf();
  made.server.rooms.set(
    ROOM,
    roomOf([BOT, '@ana:hs', '@ben:hs'], {
      members: { '@ana:hs': { displayname: 'Ana' } },
      events: { $bots: BOT, $bens: '@ben:hs' },
    }),
  );
  const own = (kind: Own['kind'], at = START) =>
    putOwn(made.parts.tables.gate, ROOM, `$${kind}`, { turn: 't', part: 'p', kind, at });
  return { ...made, own, reason: async (id: string) => (await made.record(id)).decided?.reason };
}

describe('a quote', () => {
  it('of what the bot is known to have sent is answered without a read', async () => {
    const { own, push, reason, server } = inbox();
    await own('notice');
    await push(said('$e', { content: quoting('$notice') }));
    expect(await reason('$e')).toBe('reply-to-bot');
    expect(server.calls).not.toContain('event');
  });

  it('of anything else is read, each event once', async () => {
    const { push, reason, server } = inbox();
    await push(
      ...['$a', '$b'].map((id) => said(id, { content: quoting('$bots') })),
      said('$c', { content: quoting('$bens') }),
    );
    expect(await Promise.all(['$a', '$b', '$c'].map(reason))).toEqual([
      'reply-to-bot',
      'reply-to-bot',
      'ignored',
    ]);
    expect(server.calls.filter((call) => call === 'event')).toHaveLength(2);
  });

  it.each([unreachable(), refused(403)])('that can’t be read is none: %s', async (error) => {
    const { push, reason, server } = inbox();
    server.before = (call) => {
      if (call === 'event') throw error;
    };
    await push(said('$e', { content: quoting('$bots') }));
    expect(await reason('$e')).toBe('ignored');
  });

  it('is not read if the bot is mentioned anyway', async () => {
    const { push, server } = inbox();
    await push(asked('$e', { content: quoting('$bots') }));
    expect(server.calls).not.toContain('event');
  });

  it('in a thread is one only if it is no fallback', async () => {
    const { push, reason } = inbox();
    const thread = inThread('$root')['m.relates_to'];
    const quote = { ...thread, 'm.in_reply_to': { event_id: '$bots' } };
    await push(
      said('$fallback', { content: { 'm.relates_to': quote } }),
      said('$real', { content: { 'm.relates_to': { ...quote, is_falling_back: false } } }),
    );
    expect([await reason('$fallback'), await reason('$real')]).toEqual(['ignored', 'reply-to-bot']);
  });
});

describe('a thread', () => {
  it('that the bot answers in is active for the next message of the same transaction', async () => {
    const { push, reason } = inbox();
    await push(asked('$root'), said('$e', { sender: '@ben:hs', content: inThread('$root') }));
    expect(await reason('$e')).toBe('active-thread');
  });

  it('whose root is an answer of the bot is active for the TTL, exactly', async () => {
    const { own, push, reason, clock } = inbox();
    await own('answer');
    await clock.advance(TTL - 1);
    await push(said('$e', { content: inThread('$answer') }));
    expect(await reason('$e')).toBe('active-thread');
    const later = inbox();
    await later.own('answer');
    await later.clock.advance(TTL);
    await later.push(said('$e', { content: inThread('$answer') }));
    expect(await later.reason('$e')).toBe('ignored');
  });

  it('whose root is a notice or a question of the bot is not', async () => {
    const { own, push, reason } = inbox();
    await own('notice');
    await own('question');
    await push(said('$a', { content: inThread('$notice') }), said('$b', { content: inThread('$question') }));
    expect([await reason('$a'), await reason('$b')]).toEqual(['ignored', 'ignored']);
  });

  it('keeps the latest mark', async () => {
    const table = memoryTable();
    for (const until of [5, 9, 7]) await mark(table, ROOM, '$root', until);
    expect(await table.get(keys.mark(ROOM, '$root'))).toMatchObject({ until: 9 });
  });
});

describe('a homeserver that hangs', () => {
  /** Pushes while a call does not answer. */
  async function pushWhile(made: ReturnType<typeof inbox>, hanging: string, ms: number, event: unknown) {
    made.server.before = (call) => (call === hanging ? new Promise(() => undefined) : undefined);
    const pushed = made.push(event);
    await made.clock.advance(ms - 1);
    const early = await Promise.race([pushed.then(() => 'done'), 'waiting']);
    await made.clock.advance(1);
    await pushed;
    expect(made.clock.sleepers()).toBe(0);
    return early;
  }

  it('is waited for 2 s for a quoted event, which is then none', async () => {
    const made = inbox();
    const early = await pushWhile(made, 'event', 2_000, said('$e', { content: quoting('$bots') }));
    expect([early, await made.reason('$e')]).toEqual(['waiting', 'ignored']);
  });

  it('is waited for 2 s for a name, which is then the user id and not kept', async () => {
    const made = inbox();
    expect(await pushWhile(made, 'member @ana:hs', 2_000, asked('$e'))).toBe('waiting');
    expect((await made.record('$e')).decided?.name).toBe('@ana:hs');
    made.server.before = () => undefined;
    await made.push(asked('$later'));
    expect((await made.record('$later')).decided?.name).toBe('Ana');
  });

  it('is waited for 4 s for a room, which is then its last picture, or left to a worker', async () => {
    const made = inbox();
    expect(await pushWhile(made, 'joined', 4_000, asked('$new'))).toBe('waiting');
    expect((await made.record('$new')).deferred).toMatchObject({ sent: true });
    made.server.before = () => undefined;
    await made.push(asked('$a'));
    await made.clock.advance(TTL);
    await pushWhile(made, 'joined', 4_000, asked('$b'));
    expect(await made.reason('$b')).toBe('mentioned');
  });

  it('is waited for 4 s in all, however many names and quotes a room’s messages have', async () => {
    const made = inbox();
    await made.push(asked('$first'));
    await made.clock.advance(TTL);
    made.server.before = (call) => {
      if (call === 'joined') return made.clock.sleep(3_000);
      return call === 'event' || call === 'member @new0:hs' ? new Promise(() => undefined) : undefined;
    };
    const many = Array.from({ length: 20 }, (_, n) =>
      said(`$${n}`, { sender: `@new${n}:hs`, content: quoting(`$quoted${n}`) }),
    );
    const pushed = made.push(...many);
    await made.clock.advance(4_000);
    await pushed;
    expect(await made.reason('$19')).toBe('ignored');
    expect(await made.buffer()).toHaveLength(21);
  });
});
