/** The vetoes behind a yes, through the inbox: their order, and what each refuses. */
import { describe, expect, it } from 'vitest';
import { keys } from '../../functions/gate/keys.ts';
import { WINDOW_MS, within } from '../../functions/gate/limits.ts';
import { countPace, replied } from '../../functions/gate/pace.ts';
import { asked, inThread, quoting, START, said } from '../inbox/events.ts';
import { BOT, type InboxOptions, inboxOf, ROOM } from '../inbox/inbox.ts';
import { type Room, roomOf } from './homeserver.ts';

const MINUTE = 60_000;
const GROUP = [BOT, '@ana:hs', '@ben:hs'];

function inbox(options: InboxOptions = {}, room: Partial<Room> = {}) {
  const made = inboxOf({ ...options, env: { MATRIX_GROUP_ROOMS: 'gate', ...options.env } });
  made.server.rooms.set(ROOM, roomOf(GROUP, { events: { $bots: BOT }, ...room }));
  return {
    ...made,
    reason: async (event: string) => (await made.record(event)).decided?.reason,
    limits: async (scope: string, lengthMs = 10 * MINUTE) => {
      const row = await made.parts.tables.gate.get(keys.limit(scope, Math.floor(START / lengthMs)));
      return [...((row?.ids as ReadonlySet<string> | undefined) ?? [])].length;
    },
    mark: async (thread: string) => made.parts.tables.gate.get(keys.mark(ROOM, thread)),
  };
}

describe('the vetoes', () => {
  /** All that speaks against an answer to Ana, taken away one after the other. */
  const offences = ['stale', 'peer', 'not-allowed', 'loop', 'rate-limited', 'power-level'] as const;

  async function offending(without: number, content: Readonly<Record<string, unknown>>) {
    const has = (offence: (typeof offences)[number]) => offences.indexOf(offence) >= without;
    const made = inbox(
      {
        env: {
          ...(has('peer') && { MATRIX_PEERS: '@ana:hs' }),
          ...(has('not-allowed') && { MATRIX_ALLOWED_USERS: '@ben:hs' }),
        },
        limits: has('rate-limited') ? { senderTurns: 1 } : {},
      },
      { state: { 'm.room.power_levels': has('power-level') ? { events_default: 1 } : {} } },
    );
    if (has('rate-limited'))
      await within(made.parts.tables.gate, 'sender\0@ana:hs', 'earlier', START, {
        turns: 1,
        windowMs: WINDOW_MS,
      });
    if (has('loop')) {
      const pace = { sender: '@ana:hs', count: 12, last: '$last', pause: 2 * MINUTE };
      await countPace(made.parts.tables.gate, ROOM, undefined, pace, START);
      await replied(made.parts.tables.gate, ROOM, ['$last'], START);
    }
    const ts = has('stale') ? START - 16 * MINUTE : START;
    await made.push(said('$e', { origin_server_ts: ts, unsigned: { age: START - ts }, content }));
    return made;
  }

  it.each(offences.map((reason, without) => ({ reason, without })))(
    'come in this order: $reason',
    async ({ reason, without }) => {
      const made = await offending(without, quoting('$bots'));
      expect(await made.reason('$e')).toBe(reason);
      expect(await made.mark('$e')).toBeUndefined();
      expect(made.sent.map(({ kind }) => kind)).not.toContain('turn');
      // It is captured all the same.
      expect((await made.buffer()).map(({ event }) => event)).toEqual(['$e']);
      expect(await made.limits(`room\0${ROOM}`)).toBe(reason === 'power-level' ? 1 : 0);
    },
  );

  it('let through what none of them stops', async () => {
    const made = await offending(offences.length, quoting('$bots'));
    expect(await made.reason('$e')).toBe('reply-to-bot');
    expect(await made.mark('$e')).toMatchObject({ until: START + 30 * MINUTE });
  });

  it('are never asked of what is ignored', async () => {
    const made = await offending(0, {});
    expect(await made.reason('$e')).toBe('ignored');
    expect(made.sent).toEqual([]);
  });
});

describe('stale', () => {
  const aged = (ts: number, unsigned: object) =>
    asked('$e', { origin_server_ts: ts, unsigned: { age: undefined, ...unsigned } });
  it.each([
    ['older than 15 min by both', START - 15 * MINUTE - 1, { age: 15 * MINUTE + 1 }, 'stale'],
    ['exactly 15 min', START - 15 * MINUTE, { age: 15 * MINUTE }, 'mentioned'],
    ['old by the sender’s clock only', START - 60 * MINUTE, { age: 5 }, 'mentioned'],
    ['old by the age only', START, { age: 60 * MINUTE }, 'mentioned'],
    ['old, and of no age', START - 60 * MINUTE, {}, 'stale'],
    ['of no time', -1, {}, 'stale'],
    ['of a time to come', START + 60 * MINUTE, {}, 'mentioned'],
  ])('%s', async (_, ts, unsigned, reason) => {
    const made = inbox();
    await made.push(aged(ts, unsigned));
    expect(await made.reason('$e')).toBe(reason);
  });

  it('is excused in a direct room only', async () => {
    const old = aged(START - 60 * MINUTE, {});
    const direct = inbox({}, { joined: [BOT, '@ana:hs'] });
    await direct.push(old);
    expect(direct.sent).toEqual([{ kind: 'notice', id: '$e', detail: { kind: 'stale', window: '3000000' } }]);
    const group = inbox();
    await group.push(old);
    expect(group.sent).toEqual([]);
  });

  it('is judged once, when the message first came', async () => {
    const made = inbox();
    await made.push(aged(START, { age: 0 }));
    await made.clock.advance(60 * MINUTE);
    await made.push(aged(START, { age: 60 * MINUTE }));
    expect(await made.reason('$e')).toBe('mentioned');
  });
});

describe('a peer bot', () => {
  const env = { MATRIX_PEERS: '@peer-*:hs' };
  const from = { sender: '@peer-1:hs' };

  it('is answered if it mentions the bot, not for a quote or a thread', async () => {
    const made = inbox({ env });
    await made.push(asked('$root'), said('$quote', { ...from, content: quoting('$bots') }));
    await made.push(said('$thread', { ...from, content: inThread('$root') }));
    await made.push(asked('$mention', from));
    const reasons = await Promise.all(['$quote', '$thread', '$mention'].map(made.reason));
    expect(reasons).toEqual(['peer', 'peer', 'mentioned']);
    // What it did not ask for by a mention took nothing of the budget.
    expect(await made.limits(`peers\0${ROOM}`, 60 * MINUTE)).toBe(1);
  });

  it('shares five answers an hour with the room’s other peers', async () => {
    const made = inbox({ env });
    made.server.rooms.set('!other:hs', roomOf(GROUP));
    for (let n = 0; n < 6; n++) await made.push(asked(`$${n}`, { sender: `@peer-${n}:hs` }));
    expect([await made.reason('$4'), await made.reason('$5')]).toEqual(['mentioned', 'peer']);
    await made.push(asked('$elsewhere', { ...from, room_id: '!other:hs' }), asked('$ana'));
    expect((await made.record('$elsewhere', '!other:hs')).decided?.reason).toBe('mentioned');
    expect(await made.reason('$ana')).toBe('mentioned');
    await made.clock.advance(60 * MINUTE);
    await made.push(asked('$later', { ...from, unsigned: { age: 0 } }));
    expect(await made.reason('$later')).toBe('mentioned');
  });
});

describe('who is not on the list', () => {
  it('is refused, and captured unless only the allowed are', async () => {
    const env = { MATRIX_ALLOWED_USERS: '@a*:hs' };
    const made = inbox({ env });
    await made.push(asked('$ana'), asked('$ben', { sender: '@ben:hs' }));
    expect([await made.reason('$ana'), await made.reason('$ben')]).toEqual(['mentioned', 'not-allowed']);
    expect(await made.buffer()).toHaveLength(2);
    const strict = inbox({ env: { ...env, MATRIX_CAPTURE: 'allowed' } });
    await strict.push(asked('$ana'), asked('$ben', { sender: '@ben:hs' }));
    expect((await strict.buffer()).map(({ event }) => event)).toEqual(['$ana']);
  });
});

describe('a loop', () => {
  /** Fourteen messages, each at once after our reply. */
  async function burst(made: ReturnType<typeof inbox>, name: string) {
    for (let n = 0; n < 14; n++) {
      await made.push(asked(`$${name}${n}`));
      await replied(made.parts.tables.gate, ROOM, [`$${name}${n}`], made.clock.now());
      await made.clock.advance(1_000);
    }
  }

  it('is refused for two minutes, with one notice for all that is refused', async () => {
    const made = inbox({ limits: { senderTurns: 100 } });
    await burst(made, 'a');
    expect([await made.reason('$a12'), await made.reason('$a13')]).toEqual(['mentioned', 'loop']);
    await made.push(asked('$again'));
    expect(await made.reason('$again')).toBe('loop');
    const notices = made.sent.filter(({ kind }) => kind === 'notice').map(({ detail }) => detail);
    expect(notices).toEqual([notices[0], notices[0]]);
    expect(notices[0]).toMatchObject({ kind: 'loop' });
    await made.clock.advance(2 * MINUTE);
    await made.push(asked('$later'));
    expect(await made.reason('$later')).toBe('mentioned');
  });

  it('is no matter with people', async () => {
    const made = inbox({ env: { MATRIX_PEOPLE: '@ana:*' }, limits: { senderTurns: 100 } });
    await burst(made, 'a');
    await burst(made, 'b');
    expect([await made.reason('$a13'), await made.reason('$b13')]).toEqual(['mentioned', 'mentioned']);
  });
});

describe('too much', () => {
  const notices = (made: ReturnType<typeof inbox>) =>
    made.sent.flatMap(({ kind, id, detail }) => (kind === 'notice' ? [{ id, detail }] : []));

  it('of one sender, in all rooms together', async () => {
    const made = inbox({ limits: { senderTurns: 2 } });
    made.server.rooms.set('!other:hs', roomOf(GROUP));
    await made.push(asked('$1', { room_id: '!other:hs' }));
    await made.push(asked('$2'), asked('$3'), asked('$ben', { sender: '@ben:hs' }));
    const reasons = await Promise.all(['$2', '$3', '$ben'].map(made.reason));
    expect(reasons).toEqual(['mentioned', 'rate-limited', 'mentioned']);
    expect(notices(made)).toEqual([{ id: '$3', detail: { kind: 'rate-limited', window: '3000000' } }]);
    await made.clock.advance(10 * MINUTE);
    await made.push(asked('$4'));
    expect(await made.reason('$4')).toBe('mentioned');
  });

  it('of one room; what was counted for its sender stays counted', async () => {
    const made = inbox({ limits: { roomTurns: 1 } });
    await made.push(asked('$1'), asked('$2', { sender: '@ben:hs' }));
    expect(await made.reason('$2')).toBe('rate-limited');
    expect(await made.limits('sender\0@ben:hs')).toBe(1);
    expect(await made.limits(`room\0${ROOM}`)).toBe(1);
  });

  it('that is unfinished in one conversation; others go on', async () => {
    const made = inbox({ limits: { unfinished: 2 } });
    await made.push(asked('$1'), asked('$2'));
    await made.push(asked('$3'), asked('$thread', { content: inThread('$1') }));
    const reasons = await Promise.all(['$2', '$3', '$thread'].map(made.reason));
    expect(reasons).toEqual(['mentioned', 'rate-limited', 'mentioned']);
    // It was refused before anything was counted.
    expect(await made.limits('sender\0@ana:hs')).toBe(3);
  });
});

describe('power', () => {
  const encrypted = { 'm.room.encryption': { algorithm: 'm.megolm.v1.aes-sha2' } };
  const version12 = { room_version: '12', additional_creators: [BOT] };
  it.each<[string, Partial<Room>, number, string]>([
    ['no power levels: allowed', {}, 0, 'mentioned'],
    [
      'below the level for messages',
      { state: { 'm.room.power_levels': { events_default: 1 } } },
      0,
      'power-level',
    ],
    [
      'the level for encrypted events counts in encrypted rooms only',
      { state: { 'm.room.power_levels': { events: { 'm.room.encrypted': 1 } } } },
      0,
      'mentioned',
    ],
    [
      'the level for encrypted events',
      { state: { 'm.room.power_levels': { events: { 'm.room.encrypted': 1 } }, ...encrypted } },
      0,
      'power-level',
    ],
    [
      'in an encrypted room the level for messages does not count',
      { state: { 'm.room.power_levels': { events: { 'm.room.message': 1 } }, ...encrypted } },
      0,
      'mentioned',
    ],
    [
      'the greater of both levels: required',
      { state: { 'm.room.power_levels': { users: { [BOT]: 9 } } } },
      10,
      'power-level',
    ],
    [
      'the greater of both levels: of the room',
      { state: { 'm.room.power_levels': { users: { [BOT]: 10 }, events_default: 11 } } },
      10,
      'power-level',
    ],
    ['enough', { state: { 'm.room.power_levels': { users: { [BOT]: ' +10 ' } } } }, 10, 'mentioned'],
    ['garbage', { state: { 'm.room.power_levels': { users_default: 'much' } } }, 0, 'power-level'],
    [
      'a creator is above all from version 12 on',
      {
        creation: { sender: '@ana:hs', content: version12 },
        state: { 'm.room.power_levels': { events_default: 100 } },
      },
      100,
      'mentioned',
    ],
    [
      'and is not before it',
      {
        creation: { sender: BOT, content: { ...version12, room_version: '11' } },
        state: { 'm.room.power_levels': { events_default: 100 } },
      },
      0,
      'power-level',
    ],
  ])('%s', async (_, room, required, reason) => {
    const made = inbox({ env: { GROUP_CHAT_REQUIRE_POWER_LEVEL: String(required) } }, room);
    await made.push(asked('$e'));
    expect(await made.reason('$e')).toBe(reason);
  });
});
