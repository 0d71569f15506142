/** Markdown to try things with: whatever a model may write, and then some. */
import fc from 'fast-check';

const inline = fc.constantFrom(
  ...[
    'word',
    'two words',
    '**bold**',
    '*em',
    '_',
    '`code`',
    '``',
    '~~gone~~',
    '\\*',
    '&amp;',
    '&',
    '<b>',
    '"quoted"',
  ],
  ...[
    '[text](https://a.example/b?c=d)',
    '[bad](javascript:x)',
    '![alt](https://a.example/i.png "t")',
    '[![i](x)](y)',
  ],
  ...[
    'https://a.example/x_y',
    'README.md',
    '@room',
    '😀',
    '👩‍👩‍👧',
    'e\u0301',
    '漢字',
    '\u0000',
    '<script>',
    '  ',
  ],
  ...['\ud800', 'line\nline', 'hard  \nbreak', '$x$', '|', '[x][1]', '\t'],
);
const line = fc.array(inline, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(' '));
const block = fc.oneof(
  line,
  line.map((text) => `## ${text}`),
  fc.array(line, { minLength: 1, maxLength: 4 }).map((items) => items.map((item) => `- ${item}`).join('\n')),
  fc
    .array(line, { minLength: 1, maxLength: 3 })
    .map((items) => items.map((item, n) => `${n + 3}. ${item}`).join('\n')),
  line.map((text) => `> ${text}\n> > deeper`),
  fc
    .tuple(
      fc.constantFrom('```', '````', '~~~', '   ```', '> ```', '- ```'),
      fc.constantFrom('', 'js', 'python x=1'),
      line,
    )
    .map(([fence, info, text]) => `${fence}${info}\n${text}\n\n    x = "1" < 2\n${fence.replace('-', ' ')}`),
  fc.constantFrom(
    '| a | b |\n|:--|--:|\n| 1 | 2 |',
    '---',
    '    indented',
    '```js\nnever closed',
    '\n\n',
    '[1]: https://a.example',
  ),
);

export const markdown = (maxBlocks: number) =>
  fc.array(block, { maxLength: maxBlocks }).map((blocks) => blocks.join('\n\n'));
