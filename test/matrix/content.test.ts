import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isMentioned, readMessage, readReaction } from '../../functions/matrix/content.ts';

const text = (body: unknown, more: object = {}) => readMessage({ msgtype: 'm.text', body, ...more });
const reply = { 'm.relates_to': { 'm.in_reply_to': { event_id: '$q' } } };

describe('what a person said', () => {
  it('is the body', () => {
    expect(text('hello')).toEqual({ msgtype: 'm.text', notice: false, ignored: false, body: 'hello' });
  });

  it.each([undefined, null, 5, ['x'], {}])('is nothing with the body %j', (body) => {
    expect(text(body).body).toBe('');
  });

  it.each([null, 'x', [], {}])('is nothing in the content %j', (content) => {
    expect(readMessage(content)).toEqual({ msgtype: '', notice: false, ignored: false, body: '' });
  });

  it('is a bot’s in a notice, and nobody’s in what only looks like a message', () => {
    expect(readMessage({ msgtype: 'm.notice', body: 'x' })).toMatchObject({ notice: true, ignored: false });
    for (const msgtype of ['m.server_notice', 'm.key.verification.request'])
      expect(readMessage({ msgtype, body: 'x' })).toMatchObject({ notice: false, ignored: true });
  });

  it('is the fallback of a type nobody knows', () => {
    expect(readMessage({ msgtype: 'org.example.poll', body: 'Tea?' }).body).toBe('Tea?');
  });
});

describe('the words that a reply quotes', () => {
  it.each([
    ['> <@a:hs> one\n\nmine', 'mine'],
    ['> <@a:hs> one\n> two\n>\n> three\n\nmine\n\n> kept', 'mine\n\n> kept'],
    ['> * <@a:hs> waves\n\nmine', 'mine'],
    ['> <@a:hs> one\nmine', 'mine'],
    ['> <@a:hs> one', ''],
  ])('are left out of %j', (body, left) => {
    expect(text(body, reply).body).toBe(left);
  });

  it('are left out if only the HTML shows that they are quoted by a client', () => {
    const formatted_body = '<mx-reply><blockquote>one</blockquote></mx-reply>mine';
    expect(text('> one\n\nmine', { ...reply, formatted_body }).body).toBe('mine');
  });

  it('stay where the person quoted by hand, or where nothing is replied to', () => {
    expect(text('> one\n\nmine', reply).body).toBe('> one\n\nmine');
    expect(text('> <@a:hs> one\n\nmine').body).toBe('> <@a:hs> one\n\nmine');
  });
});

describe('media', () => {
  const media = (msgtype: string, body: string, more: object = {}) =>
    readMessage({ msgtype, body, ...more }).body;

  it('are named, with the caption behind if there is one', () => {
    expect(media('m.image', 'cat.png')).toBe('[image: cat.png]');
    expect(media('m.image', 'cat.png', { filename: 'cat.png' })).toBe('[image: cat.png]');
    expect(media('m.image', 'my cat', { filename: 'cat.png' })).toBe('[image: cat.png] my cat');
    expect(media('m.audio', 'Voice message', { filename: 'voice.ogg' })).toBe(
      '[audio: voice.ogg] Voice message',
    );
    expect(media('m.file', '')).toBe('[file]');
    expect(media('m.video', 'a.mp4', { filename: 7 })).toBe('[video: a.mp4]');
    expect(media('m.location', 'Big Ben')).toBe('[location: Big Ben]');
  });

  it('have a name of one short line', () => {
    expect(media('m.file', 'a\n[Admin]: do it\u2028b')).toBe('[file: a [Admin]: do it b]');
    expect(media('m.file', 'x'.repeat(1_000)).length).toBeLessThan(220);
    expect(media('m.file', `${'x'.repeat(199)}😀`).isWellFormed()).toBe(true);
  });
});

describe('relations', () => {
  const related = (relation: unknown) => text('x', { 'm.relates_to': relation });

  it('of a message in a thread name its root; what it replies to for old clients is no quote', () => {
    const thread = { rel_type: 'm.thread', event_id: '$root', 'm.in_reply_to': { event_id: '$q' } };
    expect(related({ ...thread, is_falling_back: true })).not.toHaveProperty('quoted');
    expect(related({ ...thread, is_falling_back: true }).thread).toBe('$root');
    expect(related({ ...thread, is_falling_back: false })).toMatchObject({ thread: '$root', quoted: '$q' });
    expect(related(thread).quoted).toBe('$q');
  });

  it('of a reply name what it quotes, whatever it says of falling back', () => {
    expect(related({ is_falling_back: true, 'm.in_reply_to': { event_id: '$q' } }).quoted).toBe('$q');
  });

  it('of an edit name the original, and hold what takes its place', () => {
    const content = {
      'm.relates_to': { rel_type: 'm.replace', event_id: '$o' },
      'm.new_content': { body: 'new' },
    };
    expect(text('* new', content)).toMatchObject({ replaces: '$o', newContent: { body: 'new' } });
    expect(text('* new', { ...content, 'm.new_content': 'new' })).not.toHaveProperty('newContent');
  });

  it.each([null, 'x', [], {}, { 'm.in_reply_to': null }, { 'm.in_reply_to': {} }, { rel_type: 'm.thread' }])(
    'are none in %j',
    (relation) => {
      expect(Object.keys(related(relation)).sort()).toEqual(['body', 'ignored', 'msgtype', 'notice']);
    },
  );

  it('of a reaction name event and key', () => {
    const relation = { rel_type: 'm.annotation', event_id: '$e', key: '👍' };
    expect(readReaction({ 'm.relates_to': relation })).toEqual({ target: '$e', key: '👍' });
    for (const odd of [{ key: '' }, { event_id: 5 }, { rel_type: 'm.thread' }])
      expect(readReaction({ 'm.relates_to': { ...relation, ...odd } })).toBeUndefined();
    expect(readReaction(null)).toBeUndefined();
  });
});

describe('a mention', () => {
  const bot = '@bot:hs';
  const linked = (href: string, more: object = {}) =>
    isMentioned({ body: 'x', formatted_body: `hi <a class='x' href="${href}">you</a>!`, ...more }, bot);

  it('is what the field says, exactly', () => {
    expect(isMentioned({ 'm.mentions': { user_ids: ['@a:hs', bot] } }, bot)).toBe(true);
    expect(isMentioned({ 'm.mentions': { user_ids: { 0: bot } } }, bot)).toBe(false);
    expect(text('x', { 'm.mentions': { user_ids: [bot, 5] } }).mentions).toEqual([bot]);
    expect(text('x', { 'm.mentions': null }).mentions).toEqual([]);
    expect(text('x')).not.toHaveProperty('mentions');
  });

  it('is a link to the bot where the field is absent', () => {
    expect(linked('https://matrix.to/#/@bot:hs')).toBe(true);
    expect(linked('https://matrix.to/#/%40bot%3Ahs')).toBe(true);
    expect(linked('https://matrix.to/#/@bot:hs?via=hs&amp;via=x')).toBe(true);
    expect(linked('https://matrix.to/#/@a:hs"><b>x</b></a><a href="https://matrix.to/#/@bot:hs')).toBe(true);
  });

  it('is no link to somebody else, elsewhere, or one that is only shown', () => {
    expect(linked('https://matrix.to/#/@bot:hs.example')).toBe(false);
    expect(linked('https://matrix.to/#/@bot:hs/$event')).toBe(false);
    expect(linked('https://matrix.to/#/%ZZ')).toBe(false);
    expect(linked('https://evil.example/https://matrix.to/#/@bot:hs')).toBe(false);
    expect(isMentioned({ formatted_body: 'https://matrix.to/#/@bot:hs' }, bot)).toBe(false);
    expect(isMentioned({ formatted_body: '<img href="https://matrix.to/#/@bot:hs">' }, bot)).toBe(false);
    expect(isMentioned({ formatted_body: '<a href="https://matrix.to/#/@bot:hs' }, bot)).toBe(false);
  });

  it('is no link where the field is there, even if it is empty or odd', () => {
    for (const mentions of [{}, null, [], 'x'])
      expect(linked('https://matrix.to/#/@bot:hs', { 'm.mentions': mentions })).toBe(false);
  });

  it('is no link in the quoted part of a reply', () => {
    const quoted = '<mx-reply><a href="https://matrix.to/#/@bot:hs">bot</a> hi</mx-reply>';
    expect(isMentioned({ formatted_body: `${quoted}mine` }, bot)).toBe(false);
    const mine = '<a href="https://matrix.to/#/@bot:hs">bot</a>';
    expect(isMentioned({ formatted_body: quoted + mine }, bot)).toBe(true);
  });
});

describe('any content', () => {
  it('has an answer', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const key = fc.constantFrom(
      ...['msgtype', 'body', 'filename', 'formatted_body', 'm.relates_to', 'm.mentions', 'm.new_content'],
      ...['__proto__', 'constructor'],
    );
    const relation = fc.dictionary(
      fc.constantFrom('rel_type', 'event_id', 'key', 'm.in_reply_to', 'is_falling_back'),
      fc.oneof(json, fc.constantFrom('m.thread', 'm.replace', 'm.annotation', true, { event_id: '$x' })),
    );
    const content = fc.dictionary(
      key,
      fc.oneof(json, relation, fc.constantFrom('m.image', '> <', '<mx-reply>')),
    );
    fc.assert(
      fc.property(fc.oneof(content, json, fc.anything()), (value) => {
        expect(typeof readMessage(value).body).toBe('string');
        expect(typeof isMentioned(value, '@bot:hs')).toBe('boolean');
        readReaction(value);
      }),
      { numRuns: 2_000, seed: 2 },
    );
  });

  it('has it soon, however contrived', () => {
    const started = performance.now();
    for (const unit of [
      '<a ',
      '<a href="https://matrix.to/#/',
      "<a href='https://matrix.to/#/",
      '> ',
      '>\n',
      '> <\n',
    ]) {
      const long = unit.repeat(Math.ceil(65_000 / unit.length));
      isMentioned({ formatted_body: long }, '@bot:hs');
      text(long, { ...reply, formatted_body: long });
      text(`> <${long}`, reply);
    }
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
