import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { split } from '../../functions/matrix/split.ts';
import { markdown } from './markdown.ts';

const pieces = (text: string, length: number) => split(text, length, (piece) => piece.length <= length);

describe('a text that fits', () => {
  it('stays whole, without its margins', () => {
    expect(pieces('a\n\nb', 10)).toEqual(['a\n\nb']);
    expect(pieces('\n \n  a\nb \n\n', 10)).toEqual(['  a\nb']);
  });

  it('is nothing if it is empty', () => {
    expect(pieces('', 10)).toEqual([]);
    expect(pieces(' \n\t\n', 10)).toEqual([]);
  });
});

describe('a text is cut', () => {
  it('between paragraphs', () => {
    expect(pieces('one one\n\ntwo\ntwo\n\nthree', 20)).toEqual(['one one\n\ntwo\ntwo', 'three']);
  });

  it('before a heading, not behind it', () => {
    expect(pieces('one one one\n# Two\n\ntwo two', 20)).toEqual(['one one one', '# Two\n\ntwo two']);
  });

  it('before or behind a fence that fits by itself', () => {
    expect(pieces('one\ntwo\n```js\na\n\nb\n```\nthree\nfour', 22)).toEqual([
      'one\ntwo',
      '```js\na\n\nb\n```',
      'three\nfour',
    ]);
  });

  it('between lines where a paragraph is too long', () => {
    expect(pieces('one one\ntwo two\nthree', 18)).toEqual(['one one\ntwo two', 'three']);
  });

  it('between words where a line is too long', () => {
    expect(pieces('one two three', 9)).toEqual(['one two', 'three']);
  });

  it('between graphemes where a word is too long', () => {
    expect(pieces('aaaaaaaaaa', 4)).toEqual(['aaaa', 'aaaa', 'aa']);
    expect(pieces('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 18)).toEqual(['👩‍👩‍👧👩‍👩‍👧', '👩‍👩‍👧']);
    expect(pieces('e\u0301'.repeat(4), 5)).toEqual(['e\u0301e\u0301', 'e\u0301e\u0301']);
  });

  it('between characters where a grapheme is too long, never within one', () => {
    const endless = `a${'\u0301'.repeat(300)}`;
    expect(pieces(endless, 100).join('')).toBe(endless);
    for (const piece of pieces('😀'.repeat(50), 7)) expect(piece.isWellFormed()).toBe(true);
  });

  it('not so early that almost nothing would be left in a piece', () => {
    const [first] = pieces(`one\n\n${'word '.repeat(30)}`, 100);
    expect(first!.length).toBeGreaterThan(90);
  });

  it('after few trials, as each costs a rendering', () => {
    let trials = 0;
    const text = '# Title\n\nSome words, some more.\n\n- a\n- b\n\n```js\nfoo();\n```\n\n'.repeat(4_000);
    const parts = split(text, 40_000, (piece) => {
      trials++;
      return piece.length <= 15_000;
    });
    expect(trials / parts.length).toBeLessThan(16);
  });

  it('earlier still where a shorter piece is the larger one', () => {
    const fits = (piece: string) => piece.length <= (piece.length % 2 === 0 ? 34 : 41);
    for (const piece of split('e\u0301'.repeat(50), 100, fits))
      expect(fits(piece), String(piece.length)).toBe(true);
  });

  it('even where nothing fits, one character at a time', () => {
    expect(split('a b😀', 100, () => false)).toEqual(['a', 'b', '😀']);
  });
});

describe('a fence that is too long', () => {
  it('is closed and opened again with its info string', () => {
    expect(pieces('Look:\n\n```js x\naaaa\n\nbbbb\ncccc\n```\nend', 25)).toEqual([
      'Look:',
      '```js x\naaaa\n\nbbbb\n```',
      '```js x\ncccc\n```\nend',
    ]);
  });

  it('is closed by its own mark', () => {
    expect(pieces('~~~~\n```\naaaaaaa\nbbbbbbb\n```\n~~~~', 24)).toEqual([
      '~~~~\n```\naaaaaaa\n~~~~',
      '~~~~\nbbbbbbb\n```\n~~~~',
    ]);
  });

  it('stands alone when it comes out of a list', () => {
    expect(pieces('1. Do\n\n   ```sh\n   aaaa\n     bbbb\n   ```\n\n2. Then', 32)).toEqual([
      '1. Do\n\n   ```sh\n   aaaa\n   ```',
      '```sh\n  bbbb\n```\n\n2. Then',
    ]);
  });

  it('stays in its quotation', () => {
    expect(pieces('> ```\n> aaaa\n> bbbb\n> ```\n\nend', 21)).toEqual([
      '> ```\n> aaaa\n> ```',
      '> ```\n> bbbb\n> ```',
      'end',
    ]);
  });

  it('ends with its quotation, closed or not', () => {
    expect(pieces('> ```\n> aaaa\nplain\n\nplain plain plain', 20)).toEqual([
      '> ```\n> aaaa\nplain',
      'plain plain plain',
    ]);
  });

  it('is cut within a line only if a line is too long, and never within its marks', () => {
    const long = 'x'.repeat(38);
    for (let length = 30; length < 60; length++)
      for (const piece of pieces(`text\n\n\`\`\`js\n${long}\n   \`\`\`\n\nend end end`, length)) {
        const marks = piece.match(/^ *```/gm) ?? [];
        expect([0, 2], piece).toContain(marks.length);
        expect(piece, 'a fence without code').not.toMatch(/^ *```.*\n *```/m);
      }
  });

  it('does not repeat an info string that is none', () => {
    const parts = pieces(`\`\`\`${'i'.repeat(150)}\n${'a\n'.repeat(200)}\`\`\``, 300);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts[1]).toMatch(/^```\na\n/);
  });

  it('is not opened by what is no fence', () => {
    const backticks = '`'.repeat(500);
    expect(pieces(backticks, 100).join('')).toBe(backticks);
    expect(pieces('```a`b\nccc ccc ccc', 12)[1]).toBe('ccc ccc ccc');
  });
});

describe('whatever the text', () => {
  /** The text without what a cut may add or take away. */
  const bare = (text: string) => text.replace(/\s+|[`~]{3,}[^\n]*|^[ >]+/gm, '');

  it('the pieces fit and hold all of it in order, the same each time', () => {
    fc.assert(
      fc.property(markdown(30), fc.integer({ min: 150, max: 600 }), (text, length) => {
        const parts = pieces(text, length);
        expect(pieces(text, length)).toEqual(parts);
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(length);
          expect(part.trim()).not.toBe('');
        }
        expect(parts.map(bare).join('')).toBe(bare(text));
      }),
      { numRuns: 300, seed: 6 },
    );
  });
});
