/** From the events of a transaction to what is decided and sent. */
import { describe, expect, it } from 'vitest';
import { taking } from '../../functions/adapters/lambda/compose.ts';
import { keys } from '../../functions/gate/keys.ts';
import { storedPicture } from '../../functions/gate/picture.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { type Table, Unavailable } from '../../functions/runtime/table.ts';
import { getMeta } from '../../functions/turns/meta.ts';
import { roomOf } from '../gate/homeserver.ts';
import { asked, event, inThread, START, said, stateOf } from './events.ts';
import { BOT, type InboxOptions, inboxOf, memoryTables, ROOM } from './inbox.ts';

const GROUP = [BOT, '@ana:hs', '@ben:hs'];
const OTHER = '!other:hs';

function inbox(options: InboxOptions = {}) {
  const made = inboxOf(options);
  for (const room of [ROOM, OTHER]) made.server.rooms.set(room, roomOf(GROUP));
  return made;
}
const turnsOf = (made: ReturnType<typeof inbox>) => made.sent.filter(({ kind }) => kind === 'turn');

/** Tables of which the writes of that name fail, as often as it says. */
function failing(op: string, times = 1) {
  const tables = memoryTables();
  let left = times;
  const guarded = (table: Table): Table => ({
    ...table,
    put: (write) => (write.op === op && left-- > 0 ? fail(op) : table.put(write)),
    update: (write) => (write.op === op && left-- > 0 ? fail(op) : table.update(write)),
  });
  return { turns: guarded(tables.turns), gate: guarded(tables.gate), memory: guarded(tables.memory) };
}
const fail = (op: string) => Promise.reject(new Unavailable(op));

describe('an odd event', () => {
  const { event_id: _, ...nameless } = said('$x');
  it.each<[string, unknown]>([
    ['no object', 'text'],
    ['null', null],
    ['an array', [said('$x')]],
    ['no event_id', nameless],
    ['an odd room_id', { ...said('$x'), room_id: 7 }],
    ['an odd type', { ...said('$x'), type: undefined }],
    ['an odd sender', { ...said('$x'), sender: {} }],
    ['an odd content', { ...said('$x'), content: 'words' }],
    ['an odd state_key', { ...said('$x'), state_key: 7 }],
  ])('is skipped and counted, and nothing else: %s', async (_name, odd) => {
    const made = inbox();
    await made.push(asked('$a'), odd, asked('$b'));
    expect(made.counted.get('OddEvents')).toBe(1);
    expect((await made.buffer()).map(({ event: id }) => id)).toEqual(['$a', '$b']);
  });

  it.each(['soft_failed', 'policy_server_spammy'])(
    'of which the homeserver says %s is dropped',
    async (what) => {
      const made = inbox();
      const unsigned = { [`io.element.synapse.${what}`]: true };
      await made.push(
        asked('$spam', { unsigned }),
        stateOf('$ban', 'm.room.member', { state_key: BOT, content: { membership: 'ban' }, unsigned }),
        asked('$a', { unsigned: { [`io.element.synapse.${what}`]: false } }),
      );
      expect((await made.record('$spam')).decided).toBeUndefined();
      expect((await made.record('$a')).decided?.reason).toBe('mentioned');
      expect(made.counted.get('SoftFailedEvents')).toBe(2);
    },
  );
});

describe('an event', () => {
  it('that stands twice in a transaction is one, and so is one that comes again', async () => {
    const made = inbox();
    await made.push(asked('$a'), asked('$a', { content: { body: 'other words' } }));
    await made.push(asked('$a', { content: { body: 'still others' } }));
    expect(turnsOf(made)).toHaveLength(1);
    expect((await made.buffer()).map(({ body }) => body)).toEqual(['words of $a']);
    expect(made.counted.get('Accepted')).toBe(1);
  });

  it('is decided for each room by itself', async () => {
    const made = inbox();
    await made.push(asked('$a'), said('$a', { room_id: OTHER }));
    expect((await made.record('$a')).decided?.reason).toBe('mentioned');
    expect((await made.record('$a', OTHER)).decided?.reason).toBe('ignored');
  });

  it('that nobody said is decided and finished in one write', async () => {
    const made = inbox();
    await made.push(event('$a', 'm.sticker'), event('$b', 'm.reaction'));
    for (const id of ['$a', '$b'])
      expect(await made.record(id)).toMatchObject({ decided: { kind: 'other' }, finished: true });
  });

  it('of a room follows the one before it', async () => {
    const made = inbox();
    await made.push(
      said('$before', { content: inThread('$root') }),
      asked('$root'),
      said('$after', { content: inThread('$root') }),
    );
    const reasons = await Promise.all(['$before', '$root', '$after'].map((id) => made.record(id)));
    expect(reasons.map(({ decided }) => decided?.reason)).toEqual(['ignored', 'mentioned', 'active-thread']);
  });

  it('does not wait for another room', async () => {
    const made = inbox();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    made.server.before = (_call, room) => (room === ROOM ? held : undefined);
    const pushed = made.push(asked('$slow'), asked('$quick', { room_id: OTHER }));
    await expect.poll(() => made.sent.length).toBe(1);
    expect((await made.record('$quick', OTHER)).finished).toBe(true);
    go();
    await pushed;
    expect((await made.record('$slow')).finished).toBe(true);
  });
});

describe('an accepted message', () => {
  it('is its own turn, in the conversation of its room, thread or sender', async () => {
    const made = inbox();
    await made.push(
      asked('$a'),
      asked('$b'),
      asked('$ben', { sender: '@ben:hs' }),
      asked('$t1', { content: inThread('$root') }),
      asked('$t2', { sender: '@ben:hs', content: inThread('$root') }),
      asked('$far', { room_id: OTHER }),
    );
    const turns = turnsOf(made);
    expect(new Set(turns.map(({ id }) => id)).size).toBe(6);
    const place = async (id: string, room = ROOM) => (await made.record(id, room)).decided!.conversation;
    expect(await place('$a')).toBe(await place('$b'));
    expect(await place('$t1')).toBe(await place('$t2'));
    const places = [await place('$a'), await place('$ben'), await place('$t1'), await place('$far', OTHER)];
    expect(new Set(places).size).toBe(4);
    // The queue's group, as SQS takes it.
    for (const name of places) expect(name).toMatch(/^[\w-]{22}$/);
  });

  it('is sent under its turn and conversation, once all that it needs is stored', async () => {
    const tables = memoryTables();
    const made = inbox({ tables });
    await made.push(asked('$a', { content: { body: 'what?' } }));
    const { decided, finished } = await made.record('$a');
    expect(finished).toBe(true);
    expect(decided).toMatchObject({ kind: 'message', reason: 'mentioned', received: START });
    expect(decided).not.toHaveProperty('text');
    const { turn, conversation } = decided!;
    expect(made.sent).toEqual([
      { kind: 'turn', id: turn, detail: { conversation, deduplication: `${turn}.run.1` } },
    ]);
    expect(await getMeta(tables.turns, turn!)).toMatchObject({
      input: 'what?',
      conversation,
      principal: '@ana:hs',
      source: { room: ROOM, event: '$a', sender: '@ana:hs', roomKind: 'group' },
    });
  });
});

describe('a decision', () => {
  it.each(['message', 'pointer', 'ledger', 'mark', 'meta', 'unfinished', 'head queued', 'finish'])(
    'stands when what follows breaks off at “%s”: it goes on from its record, whatever the event says now',
    async (op) => {
      const tables = failing(op);
      const made = inbox({ tables });
      await expect(made.push(asked('$a', { content: { body: 'first words' } }))).rejects.toThrow(Unavailable);
      const { decided, finished } = await made.record('$a');
      expect([decided?.reason, finished]).toEqual(['mentioned', false]);
      await made.push(said('$a', { content: { body: 'other words' } }));
      expect((await made.record('$a')).finished).toBe(true);
      expect((await made.buffer()).map(({ body }) => body)).toEqual(['first words']);
      expect(await getMeta(tables.turns, decided!.turn!)).toMatchObject({ input: 'first words' });
      expect(new Set(turnsOf(made).map(({ id }) => id))).toEqual(new Set([decided!.turn]));
    },
  );

  it('holds also when the event comes back without its content', async () => {
    const made = inbox({ tables: failing('message') });
    await expect(made.push(asked('$a'))).rejects.toThrow(Unavailable);
    await made.push({ ...asked('$a'), content: {}, unsigned: { redacted_because: {} } });
    expect((await made.buffer()).map(({ body }) => body)).toEqual(['words of $a']);
  });

  it('of an earlier run is finished before the next message is decided', async () => {
    const made = inbox({ tables: failing('mark') });
    await expect(made.push(asked('$root'))).rejects.toThrow(Unavailable);
    await made.push(asked('$root'), said('$e', { content: inThread('$root') }));
    expect((await made.record('$e')).decided?.reason).toBe('active-thread');
  });

  it('is made once by runs at the same time, and all go on with the same', async () => {
    const tables = memoryTables();
    const runs = [inbox({ tables }), inbox({ tables })];
    await Promise.all([
      runs[0]!.push(asked('$a')),
      runs[1]!.push(said('$a', { content: { body: 'others' } })),
    ]);
    // The quicker one asks no limits and wins: the other finds its decision, and goes on with that.
    expect((await runs[0]!.record('$a')).decided?.reason).toBe('ignored');
    expect(runs.map(({ sent }) => sent)).toEqual([[], []]);
    expect((await runs[0]!.buffer()).map(({ body }) => body)).toEqual(['others']);
  });
});

it('a store that cannot be reached fails the transaction, after every other room had its turn', async () => {
  const made = inbox({ tables: failing('decide message') });
  await expect(made.push(asked('$a'), asked('$b', { room_id: OTHER }))).rejects.toThrow(Unavailable);
  expect((await made.record('$a')).decided).toBeUndefined();
  expect((await made.record('$b', OTHER)).finished).toBe(true);
  await made.push(asked('$a'), asked('$b', { room_id: OTHER }));
  expect(turnsOf(made)).toHaveLength(2);
});

describe('a homeserver that does not answer', () => {
  it('holds up a transaction of a hundred rooms for no more than 5 s, and loses none of it', async () => {
    const made = inboxOf();
    made.server.before = () => new Promise(() => {});
    const rooms = Array.from({ length: 100 }, (_, n) => asked(`$${n}`, { room_id: `!room${n}:hs` }));
    const taken = made.push(...rooms);
    await made.clock.advance(5_000);
    await taken;
    expect(made.sent.map(({ kind }) => kind)).toEqual(rooms.map(() => 'decide'));
  });
});

it('a fault of ours in what messages leave behind costs no other event', async () => {
  const made = inboxOf({ tables: memoryTables() });
  made.server.rooms.set(ROOM, roomOf(GROUP));
  const { memory } = made.deps;
  const deps = { ...made.deps, memory: { ...memory, capture: () => Promise.reject(new TypeError('ours')) } };
  await taking(deps)([asked('$a'), stateOf('$e', 'm.room.encryption'), asked('$b')]);
  expect(made.counted.get('EventErrors')).toBe(2);
  expect(
    storedPicture(await made.parts.tables.gate.get(keys.picture(ROOM)), START, made.parts.gate),
  ).toMatchObject({
    encrypted: true,
  });
  await made.clock.advance(3 * 60_000);
  await finishUndone(made.deps, () => false);
  expect(made.sent.map(({ kind }) => kind)).toEqual(['turn', 'turn']);
});
