/** A room that can't be read: the event waits for a worker, which decides it with the same code and the same commit. */
import { describe, expect, it } from 'vitest';
import { decideLate, giveUpLate } from '../../functions/inbox/late.ts';
import { finishUndone } from '../../functions/inbox/undone.ts';
import { keys as turnKeys } from '../../functions/turns/keys.ts';
import { type Room, refused, roomOf, unreachable } from '../gate/homeserver.ts';
import { asked, event, inThread, member, START, said } from './events.ts';
import { BOT, inboxOf, ROOM } from './inbox.ts';

const MINUTE = 60_000;

/** A homeserver that answers nobody until it is `back`. */
function inbox(room: Partial<Room> = {}) {
  const made = inboxOf();
  made.server.rooms.set(ROOM, roomOf([BOT, '@ana:hs', '@ben:hs'], room));
  made.server.before = () => {
    throw unreachable();
  };
  return {
    ...made,
    back: () => {
      made.server.before = () => undefined;
    },
    late: (id: string) => decideLate(made.deps, ROOM, id),
    giveUp: (id: string) => giveUpLate(made.deps, ROOM, id),
    kinds: () => made.sent.map(({ kind }) => kind),
  };
}

describe('an event of a room that can’t be read', () => {
  it('waits for a worker: not captured, not answered', async () => {
    const made = inbox();
    await made.push(asked('$a'), said('$b'));
    expect(made.sent).toEqual([
      { kind: 'decide', id: '$a', detail: 0 },
      { kind: 'decide', id: '$b', detail: 0 },
    ]);
    expect(await made.buffer()).toEqual([]);
    expect((await made.record('$a')).deferred).toMatchObject({ received: START, sent: true });
  });

  it.each([403, 404])('is decided at once where the homeserver says %i', async (status) => {
    const made = inbox();
    made.server.before = () => {
      throw refused(status);
    };
    await made.push(asked('$a'));
    expect(await made.record('$a')).toMatchObject({ decided: { reason: 'not-in-room' }, finished: true });
    expect([made.sent, await made.buffer()]).toEqual([[], []]);
  });

  it('is not deferred if nothing of the room is asked', async () => {
    const made = inbox();
    await made.push(event('$a', 'm.sticker'), event('$b', 'm.reaction'));
    expect(made.sent).toEqual([]);
  });
});

describe('a worker', () => {
  it('decides it by the same rules and runs the turn itself: nothing is sent', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    made.back();
    const turn = made.deps.turns.idOf(ROOM, '$a');
    expect(await made.late('$a')).toEqual({ kind: 'turn', turn });
    expect(made.kinds()).toEqual(['decide']);
    expect(await made.record('$a')).toMatchObject({
      decided: { reason: 'mentioned', received: START, turn },
      finished: true,
    });
    expect((await made.record('$a')).deferred).toBeUndefined();
    expect(await made.buffer()).toHaveLength(1);
    // Received again, the queue message is the watchdog of its turn.
    expect(await made.late('$a')).toEqual({ kind: 'turn', turn });
    expect(await made.buffer()).toHaveLength(1);
  });

  it('is done with what is not answered', async () => {
    const made = inbox();
    await made.push(said('$a'));
    made.back();
    expect(await made.late('$a')).toEqual({ kind: 'done' });
    expect((await made.record('$a')).decided?.reason).toBe('ignored');
    expect(await made.late('$a')).toEqual({ kind: 'done' });
  });

  it('judges its age by when it first came', async () => {
    const made = inbox();
    await made.push(asked('$a', { unsigned: { age: undefined } }));
    await made.clock.advance(30 * MINUTE);
    made.back();
    await made.late('$a');
    expect((await made.record('$a')).decided?.reason).toBe('mentioned');
  });

  it('comes back while the room can’t be read, and decides nothing', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    expect(await made.late('$a')).toEqual({ kind: 'unreadable' });
    expect((await made.record('$a')).decided).toBeUndefined();
  });

  it('waits longer for a room than the webhook', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    made.server.before = () => new Promise(() => undefined);
    const late = made.late('$a');
    await made.clock.advance(9_999);
    expect(await Promise.race([late, 'waiting'])).toBe('waiting');
    await made.clock.advance(1);
    expect(await late).toEqual({ kind: 'unreadable' });
  });

  it('at its end gives up without an answer, unless it was decided meanwhile', async () => {
    const made = inbox();
    await made.push(asked('$a'), asked('$b'));
    expect(await made.giveUp('$a')).toEqual({ kind: 'done' });
    expect(await made.record('$a')).toMatchObject({ decided: { reason: 'room-unreadable' }, finished: true });
    expect(made.counted.get('UnreadableRooms')).toBe(1);
    made.back();
    await made.push(asked('$b'));
    expect(await made.giveUp('$b')).toMatchObject({ kind: 'turn' });
    expect((await made.record('$b')).decided?.reason).toBe('mentioned');
    // What was given up stays so.
    await made.push(asked('$a'));
    expect((await made.record('$a')).decided?.reason).toBe('room-unreadable');
  });

  it('meets the webhook’s decision of the same event: one stands', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    made.back();
    const [late] = await Promise.all([made.late('$a'), made.push(asked('$a'))]);
    expect(late).toMatchObject({ kind: 'turn' });
    expect(await made.buffer()).toHaveLength(1);
  });

  it('makes nothing of what its sender has taken back', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    made.back();
    await made.push(event('$r', 'm.room.redaction', { redacts: '$a' }));
    await made.late('$a');
    expect(await made.record('$a')).toMatchObject({ finished: true, redacted: true });
    expect([await made.buffer(), made.kinds()]).toEqual([[], ['decide']]);
    const turn = made.deps.turns.idOf(ROOM, '$a');
    expect(await made.parts.tables.turns.get(turnKeys.head(turn))).toBeUndefined();
  });

  it('knows that the bot was put out meanwhile', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    await made.push(member('$out', BOT, 'leave'));
    expect(await made.late('$a')).toEqual({ kind: 'done' });
    expect((await made.record('$a')).decided?.reason).toBe('not-in-room');
  });
});

describe('what was left undone', () => {
  it('is finished two minutes later; a deferred event is sent again half an hour later, as another message', async () => {
    const made = inbox();
    await made.push(asked('$a'));
    await made.clock.advance(30 * MINUTE - 1);
    await finishUndone(made.deps, () => false);
    expect(made.kinds()).toEqual(['decide']);
    await made.clock.advance(1);
    await finishUndone(made.deps, () => false);
    const rounds = made.sent.map(({ detail }) => detail);
    expect(rounds).toEqual([0, START + 30 * MINUTE]);
  });
});

it('a later message of the room is decided by itself when the room can be read again', async () => {
  const made = inbox();
  await made.push(asked('$root'));
  made.back();
  await made.push(said('$b', { content: inThread('$root') }));
  // Its thread is not active yet: nothing was answered.
  expect((await made.record('$b')).decided?.reason).toBe('ignored');
});
