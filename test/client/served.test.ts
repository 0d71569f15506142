/** The client with the server's own routes: what each call does there, and how a turn is followed to its end. */
import { describe, expect, it } from 'vitest';
import { manuscript } from '../../functions/agent/manuscript.ts';
import { createClient, type Format, openSession, type Turn } from '../../functions/client/client.ts';
import { deskOf } from '../stream/desk.ts';
import { BEN } from '../work/people.ts';
import { servedBy } from './served.ts';

const url = 'http://streams.example';

function open({ format = 'ndjson' as Format, wordDelayMs = 20 } = {}) {
  const desk = deskOf({ wordDelayMs });
  const served = servedBy(desk);
  const { platform, until, finish } = served;
  const of = (user?: string) => createClient({ url, format, token: served.tokenOf(user), platform });
  return { desk, served, client: of(), of, until, finish };
}

const start = { conversation: 'c', text: 'write 60 words' };
const text = manuscript(60, 'words');

describe.each<Format>(['ndjson', 'sse'])('by %s, a turn', (format) => {
  it('is shown to the person who started it, and again from the beginning', async () => {
    const { client, finish, served } = open({ format });
    const turn = client.start(start);
    const ended = await finish(turn.done);
    expect([ended.status, turn.text, ended.message?.content]).toEqual(['complete', text, text]);
    const again = client.follow(await turn.id);
    expect(await finish(again.done)).toEqual(ended);
    expect([again.text, again.cursor]).toEqual([text, turn.cursor]);
    expect(served.open()).toBe(0);
  });

  it('that is cut every second is shown whole, over one connection at a time', async () => {
    const { client, served, until } = open({ format, wordDelayMs: 100 });
    const turn = client.start(start);
    let over = false;
    void turn.done.then(() => {
      over = true;
    });
    let [steps, most] = [0, 0];
    await until(() => {
      most = Math.max(most, served.open());
      if (++steps % 100 === 0) served.cut();
      return over;
    });
    expect([turn.text, most, served.open()]).toEqual([text, 1, 0]);
    expect(served.asked.length).toBeGreaterThan(4);
  });

  it('of 3 minutes is shown over as many connections as it takes', async () => {
    const { client, finish, served } = open({ format });
    const turn = client.start({ ...start, text: 'count to 180' });
    await finish(turn.id);
    served.cut();
    await finish(turn.done);
    expect(turn.text).toMatch(/^1, 2, 3, .* 179, 180\.$/);
    // One `bye` every 55 s, and each time it comes back at once.
    expect(served.asked).toHaveLength(1 + 4);
  });
});

describe('a call', () => {
  it('stops the turn on the server, though the network is away at first', async () => {
    const { client, served, finish } = open();
    const turn = client.start({ ...start, text: 'count to 60' });
    await finish(turn.id);
    served.away = true;
    const stopped = turn.stop();
    await served.advance(3_000);
    served.away = false;
    await finish(stopped);
    expect(await finish(turn.done)).toMatchObject({ status: 'cancelled', reason: 'stopped' });
  });

  it('says yes to a question that was waited with for 20 minutes', async () => {
    const { client, served, finish, until, desk } = open();
    const turn = client.start({ ...start, text: 'ask me first: shall we' });
    let seq = 0;
    turn.onEvent((line) => {
      if (line.type === 'waiting') seq = line.from;
    });
    await until(() => seq > 0);
    await served.advance(20 * 60_000, 1_000);
    // A blip, after more time without an event than a dead server is given.
    served.cut();
    served.away = true;
    await served.advance(5_000);
    served.away = false;
    expect(await finish(client.consent(await turn.id, { choice: 'yes', seq }))).toEqual({ choice: 'yes' });
    await desk.shop.run();
    expect((await finish(turn.done)).status).toBe('complete');
    expect(turn.text).toContain('You said yes');
  });

  it('lists what can be followed, and says how a turn stands', async () => {
    const { client, finish } = open({ wordDelayMs: 100 });
    const turn = client.start(start);
    const id = await finish(turn.id);
    expect(await finish(client.list('c'))).toMatchObject([{ turn: id, status: 'running', attempt: 1 }]);
    expect(await finish(client.status(id))).toMatchObject({ turn: id, status: 'running', message: null });
    const ended = await finish(turn.done);
    expect(await finish(client.list('c'))).toEqual([]);
    const state = await finish(client.status(id));
    expect(state).toMatchObject({ status: 'complete', cursor: turn.cursor, message: ended.message });
    // Who has everything is told nothing, and asks how it ended.
    const late = client.follow(id, { after: state.cursor });
    expect(await finish(late.done)).toEqual(ended);
  });

  it('forgets a turn that is over; who follows it then learns only how it ended', async () => {
    const { client, finish } = open();
    const turn = client.start(start);
    const id = await finish(turn.id);
    await expect(finish(client.forget(id))).rejects.toMatchObject({ status: 409, code: 'busy' });
    await finish(turn.done);
    await finish(client.forget(id));
    const late = client.follow(id);
    const told: string[] = [];
    late.onEvent(({ type }) => told.push(type));
    expect(await finish(late.done)).toEqual({ status: 'complete', message: null });
    expect(told).toEqual(['gap', 'turn_status']);
  });

  it('is refused with the server’s own words', async () => {
    const { client, of, finish } = open({ wordDelayMs: 100 });
    const turn = client.start(start);
    const id = await finish(turn.id);
    const refused = async (one: Promise<unknown>) => finish(one.catch((error: unknown) => error));
    expect(await refused(client.start(start).done)).toMatchObject({ status: 409, code: 'busy', turn: id });
    expect(await refused(of(BEN).follow(id).done)).toMatchObject({ status: 403, code: 'forbidden' });
    expect(await refused(client.status('no such turn'))).toMatchObject({ status: 404, code: 'not_found' });
    await finish(turn.done);
    const beyond = client.follow(id, { after: '1.999' });
    expect(await refused(beyond.done)).toMatchObject({ status: 400, code: 'bad_request' });
    expect(() => client.follow(id, { after: 'yesterday' })).toThrow(TypeError);
  });

  it('mints a ticket, which follows and does no more', async () => {
    const { client, served, finish } = open({ wordDelayMs: 100 });
    const turn = client.start(start);
    const id = await finish(turn.id);
    const { ticket } = await finish(client.ticket(id, 'follow'));
    const page = createClient({ url, token: ticket, platform: served.platform });
    await expect(finish(page.stop(id))).rejects.toMatchObject({ status: 403 });
    const seen: Turn = page.follow(id);
    await finish(seen.done);
    expect(seen.text).toBe(text);
  });

  it('opens a session with a homeserver’s token', async () => {
    const { desk, served, finish } = open();
    const opened = await finish(openSession(url, { openid: desk.gate.openid(BEN) }, served.platform));
    expect(opened).toMatchObject({ user: BEN, session: expect.any(String) });
  });
});
