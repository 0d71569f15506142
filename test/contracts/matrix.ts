/**
 * The contract of the port to a homeserver, run on every implementation of it: rooms, members and what is read. What is
 * written is in `matrix-send.ts`. Signals and time limits are the HTTP adapter's own, and tested with it.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../bin/dev/homeserver/world.ts';
import { isMatrixError, type MatrixClient, type MatrixError } from '../../functions/matrix/client.ts';
import { alice, bob, bot, roomOf, say } from '../dev/homeserver/small-world.ts';

export type MatrixUnderTest = {
  readonly client: MatrixClient;
  /** What the client talks to. */
  readonly world: World;
  /** The next send is refused with that status before it takes effect. */
  refuseSend(status: number, retryAfterMs?: number): void;
  /** The next send takes effect, and its answer is lost. */
  loseSend(): void;
  /** The homeserver answers nobody. */
  goAway(): void;
  stop(): Promise<void>;
};
export type MakeMatrix = () => Promise<MatrixUnderTest>;

/** How a call fails; it must. */
export async function failure(
  call: Promise<unknown>,
): Promise<Pick<MatrixError, 'kind' | 'status' | 'errcode'>> {
  try {
    await call;
  } catch (error) {
    if (!isMatrixError(error)) throw error;
    const { kind, status, errcode } = error;
    return { kind, status, errcode };
  }
  throw new Error('the call did not fail');
}

export const refused = (status: number, errcode = 'M_FORBIDDEN') => ({ kind: 'refused', status, errcode });
export const NOWHERE = '!nowhere:hs.test';

export function matrixContract(name: string, make: MakeMatrix): void {
  describe(`Matrix: ${name}`, () => {
    let world: World;
    let client: MatrixClient;
    let under: MatrixUnderTest;
    beforeEach(async () => {
      under = await make();
      ({ world, client } = under);
    });
    afterEach(() => under.stop());

    describe('who one is', () => {
      it('is the bot', async () => {
        expect(await client.whoami()).toBe(bot);
      });

      it('registers a user of the namespace once', async () => {
        expect(await client.register('bot_one')).toBe('registered');
        expect(await client.register('bot_one')).toBe('exists');
        expect(world.isRegistered('@bot_one:hs.test')).toBe(true);
        expect(await failure(client.register('carol'))).toEqual(refused(400, 'M_EXCLUSIVE'));
      });

      it('has a name and a picture', async () => {
        await client.setDisplayName('Bo the Bot');
        await client.setAvatarUrl('mxc://hs.test/abc');
        expect(await client.profile(bot)).toEqual({
          displayName: 'Bo the Bot',
          avatarUrl: 'mxc://hs.test/abc',
        });
        expect(await client.profile(alice)).toEqual({ displayName: 'alice' });
        expect(await client.profile('@nobody:hs.test')).toBeUndefined();
      });

      it('is called back by a ping, under its own id only', async () => {
        expect(await client.ping('turnpike')).toBeGreaterThanOrEqual(0);
        expect(await failure(client.ping('another'))).toEqual(refused(403));
      });
    });

    describe('a room', () => {
      it('is joined on an invite, as often as one likes', async () => {
        const room = world.createRoom(alice, { invite: [bot] });
        expect(await client.joinedRooms()).toEqual([]);
        expect(await client.join(room, ['hs.test', 'other.test'])).toBe(room);
        expect(await client.join(room, [])).toBe(room);
        expect(await client.joinedRooms()).toEqual([room]);
        expect(world.timeline(room).filter(({ stateKey }) => stateKey === bot)).toHaveLength(2);
      });

      it('is joined by its alias', async () => {
        const room = world.createRoom(alice, { preset: 'public_chat' });
        world.setAlias(alice, '#open:hs.test', room);
        expect(await client.join('#open:hs.test', [])).toBe(room);
        expect(await failure(client.join('#none:hs.test', []))).toEqual(refused(404, 'M_NOT_FOUND'));
      });

      it('is not joined without one, nor after a ban, nor if nobody knows it', async () => {
        const closed = world.createRoom(alice);
        expect(await failure(client.join(closed, []))).toEqual(refused(403));
        world.ban(alice, closed, bot);
        expect(await failure(client.join(closed, []))).toMatchObject({ kind: 'refused', status: 403 });
        expect(await failure(client.join(NOWHERE, []))).toMatchObject({ kind: 'refused', status: 404 });
        expect(await client.joinedRooms()).toEqual([]);
      });

      it('is left once', async () => {
        const room = roomOf(world, [bot]);
        await client.leave(room);
        expect(await client.joinedRooms()).toEqual([]);
        expect(await failure(client.leave(room))).toEqual(refused(403));
      });

      it('is made as it was asked for, another each time', async () => {
        const options = {
          name: 'Tea',
          preset: 'trusted_private_chat',
          invite: [alice],
          isDirect: true,
        } as const;
        const [one, two] = [await client.createRoom(options), await client.createRoom({})];
        expect(one).not.toBe(two);
        expect(world.stateEvent(bot, one, 'm.room.name').content).toEqual({ name: 'Tea' });
        const invite = world.stateEvent(bot, one, 'm.room.member', alice).content;
        expect(invite).toMatchObject({ membership: 'invite', is_direct: true });
        expect(await client.joinedRooms()).toEqual([one, two]);
      });

      it('has an alias that names it', async () => {
        const room = world.createRoom(alice);
        world.setAlias(alice, '#tea:hs.test', room);
        expect(await client.resolveAlias('#tea:hs.test')).toBe(room);
        expect(await client.resolveAlias('#none:hs.test')).toBeUndefined();
      });
    });

    describe('the members', () => {
      it('are who joined and who is invited, with their names', async () => {
        const room = world.createRoom(alice, { invite: [bot, bob] });
        world.join(bot, room);
        const of = (userId: string) => ({ userId, displayName: userId.slice(1, -8) });
        const joined = await client.joinedMembers(room);
        expect(joined.truncated).toBe(false);
        expect([...joined.members].sort((a, b) => (a.userId < b.userId ? -1 : 1))).toEqual([
          of(alice),
          of(bot),
        ]);
        expect(await client.invitedMembers(room)).toEqual({ members: [of(bob)], truncated: false });
      });

      it('are shown to members only', async () => {
        for (const room of [world.createRoom(alice), NOWHERE]) {
          expect(await failure(client.joinedMembers(room))).toEqual(refused(403));
          expect(await failure(client.invitedMembers(room))).toEqual(refused(403));
        }
      });
    });

    describe('state', () => {
      it('is its content, by type and key', async () => {
        const room = roomOf(world, [bot]);
        world.setState(alice, room, 'm.room.topic', '', { topic: 'tea' });
        world.setState(alice, room, 'com.example', 'a/b', { n: 1 });
        expect(await client.state(room, 'm.room.topic', '')).toEqual({ topic: 'tea' });
        expect(await client.state(room, 'com.example', 'a/b')).toEqual({ n: 1 });
        expect(await client.state(room, 'm.room.member', bot)).toMatchObject({ membership: 'join' });
        expect(await client.state(room, 'm.room.encryption', '')).toBeUndefined();
        expect(await client.state(room, 'com.example', '')).toBeUndefined();
      });

      it('is shown to members only', async () => {
        const room = world.createRoom(alice);
        expect(await failure(client.state(room, 'm.room.topic', ''))).toEqual(refused(403));
        expect(await failure(client.creation(room))).toEqual(refused(403));
      });

      it.each(['10', '11', '12'])('says who created a room of version %s', async (version) => {
        const room = roomOf(world, [bot], version);
        const { sender, content } = (await client.creation(room))!;
        expect([sender, content.room_version]).toEqual([alice, version]);
      });
    });

    describe('an event', () => {
      it('is read by its id', async () => {
        const room = roomOf(world, [bot]);
        const id = say(world, alice, room, 'hello');
        const { age, ...event } = (await client.event(room, id))!;
        expect(age).toBeGreaterThanOrEqual(0);
        expect(event).toEqual({
          id,
          room,
          type: 'm.room.message',
          sender: alice,
          content: { msgtype: 'm.text', body: 'hello' },
          ts: world.event(bot, room, id).ts,
          redactedBecause: false,
          softFailed: false,
        });
      });

      it('that is not there, or not to be seen, is none', async () => {
        const [room, other] = [roomOf(world, [bot]), world.createRoom(alice)];
        const hidden = say(world, alice, other, 'hidden');
        expect(await client.event(room, '$none')).toBeUndefined();
        expect(await client.event(other, hidden)).toBeUndefined();
        expect(await client.event(room, hidden)).toBeUndefined();
      });

      it.each(['10', '11', '12'])('of a redaction names its target, in room version %s', async (version) => {
        const room = roomOf(world, [bot], version);
        const id = say(world, alice, room, 'gone soon');
        const redaction = world.redact(alice, room, id);
        expect(await client.event(room, redaction)).toMatchObject({ type: 'm.room.redaction', redacts: id });
        const redacted = (await client.event(room, id))!;
        expect([redacted.redactedBecause, redacted.content]).toEqual([true, {}]);
      });
    });

    describe('messages', () => {
      it('come newest first, page by page, to the beginning', async () => {
        const room = roomOf(world, [bot]);
        const ids = Array.from({ length: 7 }, (_, n) => say(world, alice, room, `m${n}`));
        const seen: string[] = [];
        let from: string | undefined;
        let pages = 0;
        do {
          const page = await client.messages(room, { limit: 3, ...(from !== undefined && { from }) });
          expect(page.events.length).toBeLessThanOrEqual(3);
          seen.push(...page.events.map(({ id }) => id));
          from = page.end;
          pages++;
        } while (from !== undefined && pages < 20);
        expect(seen.slice(0, 7)).toEqual(ids.toReversed());
        expect(seen).toEqual(
          world
            .timeline(room)
            .map(({ id }) => id)
            .toReversed(),
        );
      });

      it('are those of some senders, if they are named', async () => {
        const room = roomOf(world, [bot, bob]);
        const [one, , two] = [alice, bob, alice].map((user, n) => say(world, user, room, `m${n}`));
        const { events } = await client.messages(room, { limit: 2, senders: [alice] });
        expect(events.map(({ id }) => id)).toEqual([two, one]);
        expect((await client.messages(room, { limit: 9, senders: ['@nobody:hs.test'] })).events).toEqual([]);
      });

      it('know state from words', async () => {
        const room = roomOf(world, [bot]);
        const { events } = await client.messages(room, { limit: 1 });
        expect(events[0]).toMatchObject({ type: 'm.room.member', stateKey: bot });
      });

      it('are shown to members only, and from a real place only', async () => {
        expect(await failure(client.messages(world.createRoom(alice), { limit: 1 }))).toEqual(refused(403));
        const room = roomOf(world, [bot]);
        expect(await failure(client.messages(room, { limit: 1, from: 'odd' }))).toMatchObject({
          kind: 'refused',
          status: 400,
        });
      });
    });
  });
}
