/** The second half of the contract of the port to a homeserver: what is written, and how a call fails. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../bin/dev/homeserver/world.ts';
import { isMatrixError, type MatrixClient } from '../../functions/matrix/client.ts';
import { alice, bob, bot, roomOf, say, text } from '../dev/homeserver/small-world.ts';
import { failure, type MakeMatrix, type MatrixUnderTest, NOWHERE, refused } from './matrix.ts';

const MESSAGE = 'm.room.message';

export function matrixSendContract(name: string, make: MakeMatrix): void {
  describe(`Matrix, writing: ${name}`, () => {
    let world: World;
    let client: MatrixClient;
    let under: MatrixUnderTest;
    let room: string;
    beforeEach(async () => {
      under = await make();
      ({ world, client } = under);
      room = roomOf(world, [bot, bob]);
    });
    afterEach(() => under.stop());

    const said = (of = room) => world.timeline(of).filter(({ type }) => type === MESSAGE);

    describe('a message', () => {
      it('is sent as it is, by the bot', async () => {
        const content = { ...text('☃ "x"'), 'm.mentions': {}, nested: { list: [1, null] } };
        const id = await client.send(room, MESSAGE, 't1', content);
        expect(said()).toMatchObject([{ id, sender: bot, content }]);
      });

      it('under the same transaction id is one event, whatever it says', async () => {
        const id = await client.send(room, MESSAGE, 't1', text('one'));
        expect(await client.send(room, MESSAGE, 't1', text('two'))).toBe(id);
        expect(said()).toHaveLength(1);
      });

      it('in another room, of another type or under another id is another', async () => {
        const other = roomOf(world, [bot]);
        const ids = [
          await client.send(room, MESSAGE, 't1', text('a')),
          await client.send(other, MESSAGE, 't1', text('a')),
          await client.send(room, 'com.example', 't1', text('a')),
          await client.send(room, MESSAGE, 't2', text('a')),
          await client.send(room, MESSAGE, 't/1 ä', text('a')),
        ];
        expect(new Set(ids).size).toBe(5);
      });

      it('that may no longer leave is not sent', async () => {
        const held = client.send(room, MESSAGE, 't1', text('too late'), { mayLeave: () => false });
        expect(await failure(held)).toMatchObject({ kind: 'held' });
        expect(said()).toEqual([]);
        await client.send(room, MESSAGE, 't1', text('in time'), { mayLeave: () => true });
        expect(said()).toMatchObject([{ content: text('in time') }]);
      });

      it('is another once the homeserver has forgotten the id', async () => {
        const id = await client.send(room, MESSAGE, 't1', text('a'));
        world.forgetTransactions();
        expect(await client.send(room, MESSAGE, 't1', text('a'))).not.toBe(id);
      });

      it('is refused where the bot is not, where it may not speak, and if it is too large', async () => {
        const closed = world.createRoom(alice);
        expect(await failure(client.send(closed, MESSAGE, 't1', text('a')))).toEqual(refused(403));
        expect(await failure(client.send(NOWHERE, MESSAGE, 't1', text('a')))).toEqual(refused(403));
        const levels = world.stateEvent(alice, room, 'm.room.power_levels').content;
        world.setState(alice, room, 'm.room.power_levels', '', { ...levels, events_default: 50 });
        expect(await failure(client.send(room, MESSAGE, 't2', text('a')))).toEqual(refused(403));
        world.setState(alice, room, 'm.room.power_levels', '', levels);
        const large = client.send(room, MESSAGE, 't3', text('x'.repeat(66_000)));
        expect(await failure(large)).toEqual(refused(413, 'M_TOO_LARGE'));
        expect(said()).toEqual([]);
      });
    });

    describe('a redaction', () => {
      it('takes the words of the bot’s own message, once a transaction id', async () => {
        const id = await client.send(room, MESSAGE, 't1', text('gone soon'));
        const redaction = await client.redact(room, id, 'r1', 'no longer true');
        expect(await client.redact(room, id, 'r1')).toBe(redaction);
        expect(world.event(alice, room, id).content).toEqual({});
        const events = world.timeline(room).filter(({ type }) => type === 'm.room.redaction');
        expect(events).toMatchObject([{ id: redaction, redacts: id, content: { reason: 'no longer true' } }]);
      });

      it('of others’ words takes power', async () => {
        const id = say(world, alice, room, 'mine');
        expect(await failure(client.redact(room, id, 'r1'))).toEqual(refused(403));
        expect(world.event(alice, room, id).content).toMatchObject({ body: 'mine' });
      });

      it('of nothing is refused', async () => {
        expect(await failure(client.redact(room, '$none', 'r1'))).toEqual(refused(404, 'M_NOT_FOUND'));
      });
    });

    describe('typing and receipts', () => {
      it('begins and ends, or runs out', async () => {
        await client.typing(room, true, 30_000);
        expect(world.typingUsers(room)).toEqual([bot]);
        await client.typing(room, false, 0);
        expect(world.typingUsers(room)).toEqual([]);
        expect(await failure(client.typing(world.createRoom(alice), true, 1_000))).toEqual(refused(403));
      });

      it('marks a room as read up to an event', async () => {
        const id = say(world, alice, room, 'read me');
        const told: unknown[] = [];
        world.onEphemeral(({ type, content }) => void (type === 'm.receipt' && told.push(content)));
        await client.receipt(room, id);
        expect(told).toEqual([{ [id]: { 'm.read': { [bot]: { ts: expect.any(Number) } } } }]);
        expect(await failure(client.receipt(NOWHERE, id))).toEqual(refused(403));
      });
    });

    describe('a call that fails', () => {
      it('is limited by 429, with the time to wait, and did nothing', async () => {
        under.refuseSend(429, 1_234);
        const error = await client.send(room, MESSAGE, 't1', text('a')).catch((thrown: unknown) => thrown);
        expect(isMatrixError(error) && error).toMatchObject({ kind: 'limited', status: 429 });
        // In seconds, by a header that knows no less.
        expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(1_234);
        expect((error as { retryAfterMs: number }).retryAfterMs).toBeLessThanOrEqual(2_000);
        expect(said()).toEqual([]);
        await client.send(room, MESSAGE, 't1', text('a'));
        expect(said()).toHaveLength(1);
      });

      it.each([500, 502, 503])('by the server’s own fault is unreachable: %i', async (status) => {
        under.refuseSend(status);
        expect(await failure(client.send(room, MESSAGE, 't1', text('a')))).toMatchObject({
          kind: 'unreachable',
          status,
        });
      });

      it('without an answer is unreachable, though it may have taken effect', async () => {
        under.loseSend();
        expect(await failure(client.send(room, MESSAGE, 't1', text('a')))).toMatchObject({
          kind: 'unreachable',
          status: 0,
        });
        expect(said()).toHaveLength(1);
        expect(await client.send(room, MESSAGE, 't1', text('a'))).toBe(said()[0]!.id);
      });

      it('to a homeserver that is away is unreachable, whatever it is', async () => {
        under.goAway();
        const calls: Promise<unknown>[] = [
          client.whoami(),
          client.profile(alice),
          client.state(room, 'm.room.topic', ''),
          client.event(room, '$none'),
          client.resolveAlias('#none:hs.test'),
          client.messages(room, { limit: 1 }),
          client.join(room, []),
          client.typing(room, true, 1),
          client.ping('turnpike'),
        ];
        for (const call of calls)
          expect(await failure(call)).toMatchObject({ kind: 'unreachable', status: 0 });
      });
    });
  });
}
