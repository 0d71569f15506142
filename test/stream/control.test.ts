/** A person's word on a turn over HTTP: stop, yes and no, its state, what can be resumed, and a session. */
import { describe, expect, it } from 'vitest';
import { deskOf, turnOf } from './desk.ts';

describe('a stop', () => {
  it('ends a running turn within 2 s, and again says what became of it', async () => {
    const desk = deskOf({ wordDelayMs: 10_000 });
    const got = await desk.start('one two three four');
    const turn = turnOf(got);
    await desk.shop.clock.advance(3_000);
    const asked = desk.shop.clock.monotonic();
    expect((await desk.call('POST', `/turns/${turn}/stop`, { body: {} })).json).toEqual({
      status: 'running',
    });
    while (desk.shop.head(turn).status === 'running') await desk.shop.clock.advance(50);
    expect(desk.shop.clock.monotonic() - asked).toBeLessThanOrEqual(2_000);
    await desk.shop.finish(got.over);
    expect(got.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'cancelled', reason: 'stopped' });
    expect((await desk.call('POST', `/turns/${turn}/stop`, { body: {} })).json).toEqual({
      status: 'cancelled',
    });
  });

  it('ends a queued turn at once', async () => {
    const desk = deskOf();
    const turn = await desk.shop.ask('hello');
    expect((await desk.call('POST', `/turns/${turn}/stop`)).json).toEqual({ status: 'cancelled' });
    await desk.shop.run();
    expect(desk.shop.posts()).toEqual([]);
  });

  it('is too late while the answer is being delivered', async () => {
    const desk = deskOf();
    const turn = await desk.shop.ask('hello');
    let got: object | undefined;
    desk.shop.before('send', async () => {
      got = await desk.call('POST', `/turns/${turn}/stop`);
    });
    await desk.shop.run();
    expect(got).toMatchObject({ status: 409, json: { error: { code: 'too_late' } } });
    expect(desk.shop.head(turn).status).toBe('complete');
  });
});

describe('a question', () => {
  async function asked() {
    const desk = deskOf();
    const got = await desk.start('ask me first: shall we');
    await desk.shop.finish(got.over);
    const waiting = got.lines().find(({ type }) => type === 'waiting')!;
    const seq = Number((waiting.cursor as string).split('.')[1]);
    const consent = (body: object) => desk.call('POST', `/turns/${turnOf(got)}/consent`, { body });
    return { desk, got, turn: turnOf(got), waiting, seq, consent };
  }

  it('sends the client away until it is answered, and the turn goes on in the same attempt', async () => {
    const { desk, got, turn, waiting, seq, consent } = await asked();
    expect(waiting).toMatchObject({ question: 'May I answer this: shall we', choices: ['yes', 'no'] });
    expect(got.lines().at(-1)).toMatchObject({ type: 'bye' });
    expect((await desk.call('GET', `/turns/${turn}`)).json).toMatchObject({
      status: 'waiting',
      message: null,
    });
    expect((await consent({ choice: 'yes', seq })).json).toEqual({ choice: 'yes' });
    await desk.shop.run();
    const rest = await desk.whole('GET', `/turns/${turn}/events?after=1.${seq}`);
    expect(rest.lines().at(-1)).toMatchObject({ type: 'turn_status', status: 'complete' });
    expect(await desk.shop.text(turn)).toContain('You said yes');
    expect(desk.shop.head(turn).attempt).toBe(1);
  });

  it('is answered by the first answer', async () => {
    const { consent, seq } = await asked();
    const answers = await Promise.all([consent({ choice: 'no', seq }), consent({ choice: 'yes', seq })]);
    expect(new Set(answers.map(({ json }) => json.choice)).size).toBe(1);
  });

  it.each([
    [400, { choice: 'maybe' }],
    [400, { choice: 'yes', seq: '3' }],
    [400, { choice: 'yes', seq: -1 }],
    [400, { choice: 'yes', seq: 1e30 }],
    [409, { choice: 'yes', seq: 1 }],
  ])('is not answered by what is no answer: %i %j', async (status, body) => {
    const { consent, seq } = await asked();
    const got = await consent(status === 400 && !('seq' in body) ? { ...body, seq } : body);
    expect(got.status).toBe(status);
  });

  it('is not answered when the turn does not wait', async () => {
    const desk = deskOf();
    const got = await desk.start('hello');
    await desk.shop.finish(got.over);
    const body = { choice: 'yes', seq: desk.shop.head(turnOf(got)).tail };
    expect((await desk.call('POST', `/turns/${turnOf(got)}/consent`, { body })).status).toBe(409);
  });
});

describe('what is known of a turn', () => {
  it('is its state, and its message once it is over', async () => {
    const desk = deskOf({ wordDelayMs: 100 });
    const got = await desk.start('one two three');
    const turn = turnOf(got);
    await desk.shop.clock.advance(150);
    const running = await desk.call('GET', `/turns/${turn}`);
    expect(running.json).toMatchObject({ turn, status: 'running', attempt: 1, message: null, usage: null });
    expect((await desk.call('GET', '/turns?conversation=c&status=running')).json).toEqual({
      turns: [{ turn, status: 'running', attempt: 1, cursor: expect.stringMatching(/^1\.\d+$/) }],
    });
    expect((await desk.call('DELETE', `/turns/${turn}`)).json).toMatchObject({ error: { code: 'busy' } });
    await desk.shop.finish(got.over);
    const over = await desk.call('GET', `/turns/${turn}`);
    expect(over.json).toMatchObject({
      status: 'complete',
      message: { role: 'assistant', content: '@ana:hs said: one two three' },
      usage: { outputTokens: expect.any(Number) },
    });
    expect((await desk.call('GET', '/turns?conversation=c&status=running')).json).toEqual({ turns: [] });
  });

  it('cannot be listed without a conversation, or by another status', async () => {
    const desk = deskOf();
    for (const query of ['', '?status=running', '?conversation=', '?conversation=c&status=complete'])
      expect((await desk.call('GET', `/turns${query}`)).status, query).toBe(400);
  });
});

describe('a session', () => {
  it('is opened over HTTP, and a refusal says how long to wait', async () => {
    const desk = deskOf();
    const open = (openid: unknown) => desk.call('POST', '/session', { as: undefined, body: { openid } });
    expect((await open(desk.gate.openid('@ana:hs'))).json).toMatchObject({
      user: '@ana:hs',
      session: expect.any(String),
    });
    expect((await open('x')).status).toBe(400);
    for (let n = 0; n < 9; n++) await open(desk.gate.openid('@ana:hs'));
    const over = await open(desk.gate.openid('@ana:hs'));
    expect(over.status).toBe(429);
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
  });
});
