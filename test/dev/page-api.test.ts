/** What the page is shown of a small world and of the gate's records. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../../bin/dev/homeserver/world.ts';
import type { Timeline } from '../../bin/dev/page/shown.ts';
import { type PageApi, pageApi } from '../../bin/dev/page-api.ts';
import { keys } from '../../functions/gate/keys.ts';
import { TURN_KEY } from '../../functions/matrix/own-key.ts';
import type { Key, Row } from '../../functions/runtime/table.ts';
import { alice, bob, bot, roomOf, say, serverName, smallWorld, text } from './homeserver/small-world.ts';

let world: World;
let api: PageApi;
let rows: Map<string, Row>;
let reads: number;

const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;

beforeEach(() => {
  world = smallWorld().world;
  rows = new Map();
  reads = 0;
  const gate = {
    async get(key: Key) {
      reads++;
      return rows.get(nameOf(key));
    },
  };
  api = pageApi({ world, people: ['alice', 'bob'], gate });
});

const get = (...path: string[]) => api('GET', ['people', ...path]);
function decide(room: string, event: string, decided: Omit<Row, keyof Key>): void {
  const key = keys.record(room, event);
  rows.set(nameOf(key), { ...key, ...decided });
}
const messagesIn = async (room: string) => ((await get('alice', 'rooms', room)) as Timeline).messages;

describe('people and rooms', () => {
  it('are those of the world', async () => {
    expect(await get()).toEqual({
      people: [
        { name: 'alice', user: alice },
        { name: 'bob', user: bob },
      ],
    });
    const [group, direct] = [roomOf(world, [bob, bot]), roomOf(world, [bot])];
    world.setState(alice, group, 'm.room.name', '', { name: 'lobby' });
    expect(await get('alice', 'rooms')).toEqual({
      rooms: [
        { id: group, name: 'lobby', kind: 'group', members: [alice, bob, bot] },
        { id: direct, name: 'direct', kind: 'direct', members: [alice, bot] },
      ],
    });
    expect(await get('bob', 'rooms')).toMatchObject({ rooms: [{ id: group }] });
  });

  it('are nobody with a real homeserver', async () => {
    const none = pageApi(undefined);
    expect(await none('GET', ['people'])).toEqual({ people: [] });
    expect(await none('GET', ['people', 'alice', 'rooms'])).toBeUndefined();
  });

  it('are only what is asked for by its name', async () => {
    expect(await get('carol', 'rooms')).toBeUndefined();
    expect(await get('alice', 'secrets')).toBeUndefined();
    expect(await get('alice', 'openid')).toBeUndefined();
    expect(await get('alice', 'rooms', '!a', 'more')).toBeUndefined();
    expect(await api('GET', ['others'])).toBeUndefined();
  });

  it('prove who they are by an OpenID token', async () => {
    const answer = await api('POST', ['people', 'bob', 'openid']);
    const { openid } = answer as { openid: { access_token: string } };
    expect(openid).toMatchObject({ matrix_server_name: serverName });
    expect(world.openIdUser(openid.access_token)).toBe(bob);
  });
});

describe('a timeline', () => {
  it('has what was said, the decision on it, and the turn of what the bot said', async () => {
    const room = roomOf(world, [bob, bot]);
    const [yes, no, open] = ['@bot hello', 'nice weather', 'just said'].map((body) =>
      say(world, bob, room, body),
    );
    decide(room, yes!, { dec: 'mentioned', turn: 'T' });
    decide(room, no!, { dec: 'ignored' });
    world.send(bot, room, 'm.room.message', { ...text('hi'), [TURN_KEY]: { turn: 'T', part: '#0' } });
    // The key in the words of somebody else is nothing.
    world.send(bob, room, 'm.room.message', { ...text('fake'), [TURN_KEY]: { turn: 'T', part: '#0' } });
    expect(await messagesIn(room)).toEqual([
      {
        event: yes,
        sender: bob,
        text: '@bot hello',
        at: expect.any(Number),
        decision: { respond: true, reason: 'mentioned', turn: 'T' },
      },
      expect.objectContaining({ event: no, decision: { respond: false, reason: 'ignored' } }),
      { event: open, sender: bob, text: 'just said', at: expect.any(Number) },
      { event: expect.any(String), sender: bot, text: 'hi', at: expect.any(Number), turn: 'T' },
      { event: expect.any(String), sender: bob, text: 'fake', at: expect.any(Number) },
    ]);
  });

  it('reads a decision once', async () => {
    const room = roomOf(world, [bot]);
    const event = say(world, alice, room, 'hello');
    await get('alice', 'rooms', room);
    expect(reads).toBe(1);
    decide(room, event, { dec: 'dm', turn: 'T' });
    await get('alice', 'rooms', room);
    await get('alice', 'rooms', room);
    expect(reads).toBe(2);
  });

  it('shows the last edit of its own sender, and nothing of what was redacted', async () => {
    const room = roomOf(world, [bob]);
    const [edited, redacted] = [say(world, alice, room, 'helo'), say(world, alice, room, 'secret')];
    const edit = (user: string, body: string) =>
      world.send(user, room, 'm.room.message', {
        ...text(`* ${body}`),
        'm.new_content': text(body),
        'm.relates_to': { rel_type: 'm.replace', event_id: edited },
      });
    edit(alice, 'hallo');
    edit(alice, 'hello');
    edit(bob, 'not his');
    world.redact(alice, room, redacted);
    expect(await messagesIn(room)).toMatchObject([{ event: edited, text: 'hello' }]);
  });

  it('is at most the newest fifty, for who may see it', async () => {
    const room = roomOf(world, []);
    for (let n = 0; n < 60; n++) say(world, alice, room, String(n));
    expect((await messagesIn(room)).map((message) => Number(message.text))).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 10),
    );
    await expect(get('bob', 'rooms', room)).rejects.toMatchObject({ status: 403 });
  });
});
