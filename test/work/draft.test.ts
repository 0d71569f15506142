/** The live draft: it grows in the room, becomes the answer, and is taken back when there is none. */
import { describe, expect, it } from 'vitest';
import { AgentError } from '../../functions/agent/agent.ts';
import { cancel } from '../../functions/turns/cancel.ts';
import type { TurnEvent } from '../../functions/turns/events.ts';
import { ANA, type Post } from './people.ts';
import { Shop } from './shop.ts';

const LIVE = { work: { liveEdits: true } };

/** A shop whose agent says a word every so often. */
function speaking(words: number, everyMs: number, more: object = {}): Shop {
  const shop = new Shop({ ...LIVE, ...more });
  shop.agent = {
    async *run(_, signal): AsyncGenerator<TurnEvent> {
      for (let n = 0; n < words; n++) {
        await shop.clock.sleep(everyMs, signal);
        if (signal.aborted) return;
        yield { type: 'text', part: 1, text: `w${n} ` };
      }
      yield { type: 'step-end', last: true };
    },
  };
  return shop;
}

const edited = ({ content }: Post) =>
  content['m.new_content'] as { body: string; msgtype: string } | undefined;
const target = ({ content }: Post) =>
  (content['m.relates_to'] as { event_id?: string } | undefined)?.event_id;
const isEdit = (post: Post) => edited(post) !== undefined;
const redacted = (shop: Shop) =>
  shop.rooms
    .timeline(shop.direct)
    .flatMap(({ type, redacts }) => (type === 'm.room.redaction' ? [redacts] : []));

describe('a draft', () => {
  it('is a notice with the first words, and is edited at most once a second', async () => {
    const shop = speaking(40, 200);
    await shop.ask('go');
    const begun = shop.clock.monotonic();
    await shop.run();
    const [draft, ...edits] = shop.posts();
    expect(draft).toMatchObject({ part: 'draft#0', msgtype: 'm.notice' });
    expect(draft!.body).toMatch(/^w0 .*…$/);
    expect(edits.every((post) => isEdit(post) && target(post) === draft!.id)).toBe(true);
    const times = shop.called('send').map((at) => at - begun);
    for (const [index, at] of times.slice(1, -1).entries())
      expect(at - times[index]!).toBeGreaterThanOrEqual(1_000);
    expect(edits.length).toBeGreaterThanOrEqual(7);
    const grown = edits.slice(0, -1).map((post) => edited(post)!.body);
    for (const [index, body] of grown.slice(1).entries())
      expect(body.length).toBeGreaterThan(grown[index]!.length);
  });

  it('becomes the answer: the first part is its last edit, a message with all the words', async () => {
    const shop = speaking(10, 300);
    const turn = await shop.ask('go');
    await shop.run();
    const final = shop.posts().at(-1)!;
    expect(edited(final)).toMatchObject({ msgtype: 'm.text', body: 'w0 w1 w2 w3 w4 w5 w6 w7 w8 w9' });
    expect(target(final)).toBe(shop.posts()[0]!.id);
    expect(edited(final)).toMatchObject({ 'io.turnpike.turn': { turn, part: expect.stringMatching(/#0$/) } });
    expect([shop.head(turn).status, redacted(shop)]).toEqual(['complete', []]);
  });

  it('is edited a hundred times at most', async () => {
    const shop = speaking(130, 1_000);
    await shop.ask('go');
    await shop.run();
    expect(shop.posts().filter((post) => isEdit(post) && edited(post)!.msgtype === 'm.notice')).toHaveLength(
      100,
    );
    expect(edited(shop.posts().at(-1)!)!.body).toContain('w129');
  });

  it('shows no more than a beginning of a long answer, whose parts are all sent', async () => {
    const shop = new Shop({ ...LIVE, wordDelayMs: 1 });
    const turn = await shop.ask('write 60 KB');
    await shop.run();
    const posts = shop.posts();
    const notices = posts.filter(({ content }) => JSON.stringify(content).includes('draft#0'));
    for (const { content } of notices) expect(JSON.stringify(content).length).toBeLessThan(30_000);
    const answer = posts.filter(({ part }) => !part.startsWith('draft#'));
    expect(answer.length).toBeGreaterThanOrEqual(2);
    expect(shop.head(turn).status).toBe('complete');
  });

  it('is none at all without words, or without the option', async () => {
    const shop = speaking(0, 100);
    await shop.ask('go');
    await shop.run();
    expect(shop.posts().some(({ body }) => body.startsWith('w'))).toBe(false);
    const off = speaking(10, 300, { work: { liveEdits: false } });
    await off.ask('go');
    await off.run();
    expect(off.posts().map(({ part }) => part.slice(-2))).toEqual(['#0']);
    expect(off.posts()[0]!.msgtype).toBe('m.text');
  });

  it('that the room refuses leaves a plain answer', async () => {
    const shop = speaking(10, 300);
    const turn = await shop.ask('go');
    shop.refuse('send', 403);
    await shop.run();
    expect(shop.posts()).toMatchObject([{ msgtype: 'm.text', body: expect.stringContaining('w9') }]);
    expect(isEdit(shop.posts()[0]!)).toBe(false);
    expect(shop.head(turn).status).toBe('complete');
  });

  it('whose edit fails is made up for by the next one', async () => {
    const shop = speaking(30, 300);
    await shop.ask('go');
    shop.before('send', () => undefined);
    shop.refuse('send', 500, { times: 2 });
    await shop.run();
    expect(shop.counted.get('DraftFailures')).toBe(2);
    expect(shop.posts().filter(isEdit).length).toBeGreaterThan(3);
  });
});

describe('a turn without an answer takes its draft back', () => {
  it('after an error, and says so in a note', async () => {
    const shop = new Shop(LIVE);
    shop.agent = {
      async *run(): AsyncGenerator<TurnEvent> {
        yield { type: 'text', part: 1, text: 'half an' };
        await shop.clock.sleep(3_000);
        throw new AgentError('model_unavailable');
      },
    };
    const turn = await shop.ask('go');
    await shop.run();
    const [draft] = shop.posts();
    expect(redacted(shop)).toEqual([draft!.id]);
    expect(shop.posts().at(-1)).toMatchObject({ part: 'note#0' });
    expect(JSON.stringify(shop.turns.all().filter(({ sk }) => sk.startsWith('PART#draft')))).not.toContain(
      'half an',
    );
    await shop.run();
    expect(redacted(shop)).toHaveLength(1);
    expect(shop.head(turn).status).toBe('error');
  });

  it('after a stop', async () => {
    const shop = speaking(100, 300);
    const turn = await shop.ask('go');
    const working = shop.receive();
    await shop.clock.advance(5_000);
    await cancel(shop.work, turn, 'stopped');
    await shop.finish(working);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'stopped' });
    expect(redacted(shop)).toEqual([shop.posts()[0]!.id]);
  });

  it('after its message was redacted', async () => {
    const shop = speaking(100, 300);
    const turn = await shop.ask('go');
    const asked = shop.rooms.timeline(shop.direct).at(-1)!.id;
    const working = shop.receive();
    await shop.clock.advance(5_000);
    await shop.push(shop.direct, shop.rooms.redact(ANA, shop.direct, asked));
    await shop.finish(working);
    expect(shop.head(turn)).toMatchObject({ status: 'cancelled', reason: 'redacted' });
    expect(redacted(shop)).toEqual([asked, shop.posts()[0]!.id]);
  });

  it('though the homeserver refuses that for good: the turn is over all the same', async () => {
    const shop = speaking(100, 300);
    const turn = await shop.ask('go');
    const working = shop.receive();
    await shop.clock.advance(5_000);
    shop.refuse('redact', 403);
    await cancel(shop.work, turn, 'stopped');
    expect(await shop.finish(working)).toEqual({ kind: 'done' });
  });
});

describe('a takeover', () => {
  it('goes on with the draft that stands, and does not post another', async () => {
    const shop = speaking(30, 300);
    const turn = await shop.ask('go');
    const first = shop.receive();
    await shop.clock.advance(4_000);
    const drafts = shop.posts().filter((post) => !isEdit(post));
    expect(drafts).toHaveLength(1);
    // Its worker is gone: whatever it would write is never answered.
    const never = () => new Promise<void>(() => undefined);
    for (const op of ['append plain', 'beat', 'send']) shop.before(op, never);
    await shop.clock.advance(14_000);
    shop.queues.send('turns', 'another', JSON.stringify({ v: 1, kind: 'turn', turn }));
    await shop.finish(shop.receive());
    expect(shop.head(turn)).toMatchObject({ status: 'complete', attempt: 2 });
    const posts = shop.posts();
    expect(posts.filter((post) => !isEdit(post))).toEqual(drafts);
    expect(posts.every((post) => !isEdit(post) || target(post) === drafts[0]!.id)).toBe(true);
    first.catch(() => undefined);
  });
});
