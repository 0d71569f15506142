import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ownKey, TURN_KEY } from '../../functions/matrix/own-key.ts';
import {
  askContent,
  CONTENT_BYTES,
  editContent,
  noticeContent,
  replyParts,
} from '../../functions/matrix/reply.ts';
import { markdown } from './markdown.ts';

const context = { turn: 'Zm9vYmFyYmF6cXV4MTIzNA', set: 'abcdefgh', trigger: '$trigger' };
const single = { turn: context.turn, trigger: '$trigger', part: 'note#0' };
const bytes = (content: object) => Buffer.byteLength(JSON.stringify(content));

describe('an answer', () => {
  it('is a message with our key and no mention', () => {
    expect(replyParts('hello', context)).toEqual([
      {
        msgtype: 'm.text',
        body: 'hello',
        'm.mentions': {},
        [TURN_KEY]: { turn: context.turn, part: 'abcdefgh#0' },
      },
    ]);
  });

  it('has HTML only where that says more than the body', () => {
    const [plain] = replyParts('a < b\n\n"c" & d\ne', context);
    expect(plain).not.toHaveProperty('format');
    for (const text of ['**b**', 'x\\*y', '- a', 'https://a.example', '    code']) {
      const [part] = replyParts(text, context);
      expect(part).toMatchObject({ body: text, format: 'org.matrix.custom.html' });
      expect(part!.formatted_body).toBeTypeOf('string');
    }
  });

  it('stands in its thread, naming what it answers for old clients', () => {
    expect(replyParts('x', { ...context, thread: '$root', quote: '$q' })[0]!['m.relates_to']).toEqual({
      rel_type: 'm.thread',
      event_id: '$root',
      is_falling_back: true,
      'm.in_reply_to': { event_id: '$trigger' },
    });
  });

  it('quotes what it answers outside a thread, if it is told to', () => {
    const relation = { 'm.in_reply_to': { event_id: '$trigger' } };
    expect(replyParts('x', { ...context, quote: '$trigger' })[0]!['m.relates_to']).toEqual(relation);
    expect(replyParts('x', context)[0]).not.toHaveProperty('m.relates_to');
  });

  it('mentions whom it is told to, once, and never the room', () => {
    const parts = replyParts(`@room @alice:hs\n\n${'word '.repeat(20_000)}`, {
      ...context,
      mention: '@a:hs',
    });
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.map((part) => part['m.mentions'])).toEqual([
      { user_ids: ['@a:hs'] },
      ...parts.slice(1).map(() => ({})),
    ]);
  });

  it('is nothing if there is nothing to say', () => {
    expect(replyParts(' \n', context)).toEqual([]);
  });

  it('is well-formed text', () => {
    expect(replyParts('a\ud800b', context)[0]!.body).toBe('a\ufffdb');
  });
});

describe('a long answer', () => {
  const long = { ...context, thread: '$root', mention: '@a:hs' };
  /** The text without white space and marks of fences. */
  const bare = (text: string) => text.replace(/\s+|[`~]{3,}[^\n]*|^[ >]+/gm, '');

  it('is split into parts that are small as they will be sent, and hold all of it in order', () => {
    let split = 0;
    fc.assert(
      fc.property(markdown(60), fc.integer({ min: 0, max: 30_000 }), (piece, offset) => {
        const unit = `${piece}\n\nplain words\n\n`;
        const text = unit.repeat(Math.ceil(60_000 / unit.length)).slice(offset, offset + 30_000);
        const parts = replyParts(text, long);
        if (parts.length > 1) split++;
        for (const [index, part] of parts.entries()) {
          expect(bytes(part)).toBeLessThan(CONTENT_BYTES);
          expect(ownKey(part)).toEqual({ turn: context.turn, part: `abcdefgh#${index}` });
          expect(part['m.relates_to']).toMatchObject({ rel_type: 'm.thread' });
        }
        expect(parts.map(({ body }) => bare(body)).join('')).toBe(bare(text.toWellFormed()));
        expect(replyParts(text, long)).toEqual(parts);
      }),
      { numRuns: 8, seed: 7 },
    );
    expect(split).toBeGreaterThan(2);
  });

  it.each([
    ['emoji', '😀'.repeat(20_000)],
    ['quotes', '"'.repeat(40_000)],
    ['angle brackets', '<'.repeat(40_000)],
    ['controls', '\u0001'.repeat(20_000)],
    ['one fence', `\`\`\`js\n${'"<&>"\n'.repeat(10_000)}\`\`\``],
    ['addresses', 'https://a.example/b '.repeat(3_000)],
    ['one address', `https://a.example/${'b'.repeat(60_000)}`],
    ['one link', `[x](https://a.example/${'b'.repeat(60_000)})`],
    ['open emphasis', '**a '.repeat(15_000)],
  ])('is split whatever it is made of: %s', (_, text) => {
    const parts = replyParts(text, long);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(bytes(part)).toBeLessThan(CONTENT_BYTES);
    expect(parts.map(({ body }) => bare(body)).join('')).toBe(bare(text));
    const full = parts.slice(0, -1).filter((part) => bytes(part) > CONTENT_BYTES / 4);
    expect(full.length).toBe(parts.length - 1);
  });
});

describe('a message of its own', () => {
  it('has the name it is given', () => {
    expect(noticeContent('x', { ...single, thread: '$root' })).toMatchObject({
      msgtype: 'm.notice',
      'm.mentions': {},
      'm.relates_to': { rel_type: 'm.thread' },
      [TURN_KEY]: { turn: context.turn, part: 'note#0' },
    });
    expect(askContent('x?', { ...single, part: 'ask#7', mention: '@a:hs' })).toMatchObject({
      msgtype: 'm.text',
      'm.mentions': { user_ids: ['@a:hs'] },
      [TURN_KEY]: { part: 'ask#7' },
    });
  });

  it('is cut to fit, and says so', () => {
    const cut = noticeContent('word "word" '.repeat(10_000), single);
    expect(bytes(cut)).toBeLessThan(CONTENT_BYTES);
    expect(cut.body.endsWith('\n…')).toBe(true);
    expect(noticeContent('word', single).body).toBe('word');
    expect(noticeContent(' word\n', single).body).toBe(' word');
    expect(noticeContent('', single).body).toBe('');
  });
});

describe('an edit', () => {
  const part = replyParts('**bold** move', { ...context, thread: '$root', mention: '@a:hs' })[0]!;

  it('holds the part, and keeps the relation of what it edits', () => {
    expect(editContent(part, '$draft')).toEqual({
      msgtype: 'm.text',
      body: '* **bold** move',
      'm.mentions': { user_ids: ['@a:hs'] },
      'm.new_content': {
        msgtype: 'm.text',
        body: '**bold** move',
        format: 'org.matrix.custom.html',
        formatted_body: '<strong>bold</strong> move',
        'm.mentions': { user_ids: ['@a:hs'] },
        [TURN_KEY]: part[TURN_KEY],
      },
      'm.relates_to': { rel_type: 'm.replace', event_id: '$draft' },
      [TURN_KEY]: part[TURN_KEY],
    });
  });

  it('is hardly larger than the part', () => {
    for (const text of ['😀'.repeat(20_000), '"'.repeat(40_000)]) {
      const [first] = replyParts(text, context);
      const edit = editContent(first!, '$draft');
      expect(bytes(edit)).toBeLessThan(CONTENT_BYTES + 2_000);
      expect((edit.body as string).isWellFormed()).toBe(true);
    }
  });
});

describe('our own key', () => {
  it('is read if it is there', () => {
    expect(ownKey({ [TURN_KEY]: { turn: 't', part: 'p', more: 1 } })).toEqual({ turn: 't', part: 'p' });
    for (const odd of [null, 'x', {}, { turn: 't' }, { turn: 't', part: 0 }, { turn: '', part: 'p' }])
      expect(ownKey({ [TURN_KEY]: odd })).toBeUndefined();
    expect(ownKey(null)).toBeUndefined();
  });
});
