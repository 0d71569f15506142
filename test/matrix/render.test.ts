import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderMarkdown } from '../../functions/matrix/render.ts';
import { markdown } from './markdown.ts';

describe('markdown', () => {
  it.each([
    ['hello', 'hello'],
    ['a **b** *c* `d` ~~e~~', 'a <strong>b</strong> <em>c</em> <code>d</code> <s>e</s>'],
    ['one\ntwo', 'one<br>two'],
    ['one\n\ntwo', '<p>one</p>\n<p>two</p>'],
    ['# T', '<h1>T</h1>'],
    ['3. a\n4. b', '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>'],
    ['a < b & c', 'a &lt; b &amp; c'],
    ['', ''],
  ])('%j becomes %j', (text, html) => {
    expect(renderMarkdown(text)).toBe(html);
  });

  it('keeps the lines of code as they are, and the name of its language', () => {
    expect(renderMarkdown('Hi!\n```python title="x"\na = 1\n\nif a < 2:\n  b()\n```')).toBe(
      '<p>Hi!</p>\n<pre><code class="language-python">a = 1\n\nif a &lt; 2:\n  b()\n</code></pre>',
    );
    expect(renderMarkdown('```\na\n```')).toBe('<pre><code>a\n</code></pre>');
  });

  it('has no raw HTML', () => {
    expect(renderMarkdown('<b onclick="x()">a</b>')).toBe('&lt;b onclick=&quot;x()&quot;&gt;a&lt;/b&gt;');
    expect(renderMarkdown('<div>\n\na')).toBe('<p>&lt;div&gt;</p>\n<p>a</p>');
  });

  it('has no styles in tables', () => {
    expect(renderMarkdown('|a|\n|-:|\n|1|')).toBe(
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n</tr>\n</tbody>\n</table>',
    );
  });
});

describe('links', () => {
  const link = (href: string) => renderMarkdown(`[x](${href})`);

  it.each([
    'https://a.example/?b=c&d',
    'HTTP://a.example',
    'mailto:a@b.example',
    'matrix:u/a:hs',
    'https://matrix.to/#/@a:hs',
  ])('go to %s', (href) => {
    expect(link(href)).toContain(`<a href="${href.replaceAll('&', '&amp;')}">x</a>`);
  });

  it.each([
    'javascript:alert(1)',
    '&#106;avascript:alert(1)',
    'JaVaScRiPt:x',
    'data:text/html,x',
    'ftp://a.example',
    'file:///x',
    'README.md',
    '//a.example',
    '#x',
  ])('do not go to %s', (href) => {
    expect(link(href)).not.toContain('<a');
  });

  it('have no title', () => {
    expect(renderMarkdown('[x](https://a.example "t")')).toBe('<a href="https://a.example">x</a>');
  });

  it('are found where a scheme is written, not in names of files and hosts', () => {
    expect(renderMarkdown('see https://a.example/x_y_z.')).toBe(
      'see <a href="https://a.example/x_y_z">https://a.example/x_y_z</a>.',
    );
    for (const text of ['README.md', 'www.a.example', 'git@a.example', '//a.example', 'ftp://a.example'])
      expect(renderMarkdown(text)).toBe(text);
  });

  it('take the place of images, or their words do where a link is already', () => {
    expect(renderMarkdown('![an *alt*](https://a.example/i.png "t")')).toBe(
      '<a href="https://a.example/i.png">an alt</a>',
    );
    expect(renderMarkdown('![](https://a.example/i.png)')).toContain('>https://a.example/i.png</a>');
    expect(renderMarkdown('[![alt](https://i.example)](https://a.example) ![b](https://b.example)')).toBe(
      '<a href="https://a.example">alt</a> <a href="https://b.example">b</a>',
    );
  });
});

const TAGS = new Set(
  'del h1 h2 h3 h4 h5 h6 blockquote p a ul ol sup sub li b i u strong em s code hr br div table thead tbody tr th td caption pre span img details summary'.split(
    ' ',
  ),
);
const ATTRIBUTES: Record<string, RegExp> = {
  a: /^( href="(https?|mailto|matrix):[^"<>]*")$/i,
  ol: /^( start="\d+")?$/,
  code: /^( class="language-[^"<>]*")?$/,
};

/** What is wrong with HTML as a Matrix client is told to take it; its depth. */
function inspect(html: string): { faults: string[]; depth: number } {
  const faults: string[] = [];
  const open: string[] = [];
  let depth = 0;
  const bare = html.replace(
    /<(\/?)([a-z0-9]+)([^<>]*)>/g,
    (whole, close: string, tag: string, attributes: string) => {
      if (!TAGS.has(tag)) faults.push(whole);
      if (close) {
        if (open.pop() !== tag || attributes) faults.push(whole);
      } else {
        if (!(ATTRIBUTES[tag] ?? /^$/).test(attributes)) faults.push(whole);
        if (tag === 'a' && open.includes('a')) faults.push('a link in a link');
        if (tag !== 'br' && tag !== 'hr') open.push(tag);
        depth = Math.max(depth, open.length);
      }
      return '';
    },
  );
  if (/[<>]/.test(bare)) faults.push('a bare angle bracket');
  if (open.length > 0) faults.push(`open: ${open.join(' ')}`);
  return { faults, depth };
}

describe('the HTML', () => {
  it('is inspected', () => {
    expect(inspect('<p>a<br><a href="https://x">b</a></p>')).toEqual({ faults: [], depth: 2 });
    for (const html of [
      '<script>',
      '<p style="x">a</p>',
      '<a href="javascript:x">a</a>',
      '<p>',
      '<p></b>',
      '<img src=x',
    ])
      expect(inspect(html).faults).not.toEqual([]);
  });

  it('is what Matrix allows, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(markdown(8), fc.string({ unit: 'binary', maxLength: 200 })), (text) => {
        expect(inspect(renderMarkdown(text)).faults).toEqual([]);
      }),
      { numRuns: 1_500, seed: 5 },
    );
  });

  it.each([
    ['quotations', `${'> '.repeat(500)}deep`],
    ['lists', Array.from({ length: 200 }, (_, n) => `${'  '.repeat(n)}- deep`).join('\n')],
    ['emphasis', `${'*a '.repeat(500)}deep${' a*'.repeat(500)}`],
    ['images', `${'!['.repeat(500)}deep${'](https://a.example)'.repeat(500)}`],
  ])('is not nested without end, and loses nothing: %s', (_, text) => {
    const html = renderMarkdown(text);
    expect(inspect(html).faults).toEqual([]);
    expect(inspect(html).depth).toBeLessThanOrEqual(100);
    expect(html).toContain('deep');
  });

  it('is nested as people nest', () => {
    const text = Array.from({ length: 8 }, (_, n) => `${'  '.repeat(n)}- *deep*`).join('\n');
    expect(inspect(renderMarkdown(text)).depth).toBe(17);
  });
});
