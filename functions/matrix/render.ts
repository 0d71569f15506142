/**
 * Markdown to the HTML that Matrix allows (spec v1.19, client-server API, `m.room.message` msgtypes): no raw HTML, no
 * attribute that is not on the list, links to http, https, mailto and matrix only, images as links, bounded nesting.
 * Each line break of the text is one of the HTML; those in code stay as they are.
 */
import MarkdownIt, { type Token } from 'markdown-it';

/** The specification allows 100 levels; a text that goes half as deep is not worth its markup. */
const MAX_DEPTH = 50;
const SCHEMES = /^(https?|mailto|matrix):/i;
const ATTRIBUTES = new Set(['href', 'start', 'class']);

const markdown = new MarkdownIt({ html: false, breaks: true, linkify: true });
// Only what names its scheme is a link: `README.md` and `git@host` are more often a file and a login.
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = (url) => SCHEMES.test(url);

const { escapeHtml } = markdown.utils;
const { renderer } = markdown;
renderer.renderAttrs = ({ attrs }) =>
  (attrs ?? [])
    .filter(([name]) => ATTRIBUTES.has(name))
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    .join('');
renderer.rules.softbreak = () => '<br>';
renderer.rules.hardbreak = () => '<br>';
renderer.rules.link_open = (tokens, index, options, env) => {
  if (env) env.inLink = true;
  return renderer.renderToken(tokens, index, options);
};
renderer.rules.link_close = (tokens, index, options, env) => {
  if (env) env.inLink = false;
  return renderer.renderToken(tokens, index, options);
};
// A link to the image; inside a link, which cannot hold another, only its words.
renderer.rules.image = (tokens, index, options, env) => {
  const image = tokens[index]!;
  const source = escapeHtml(String(image.attrGet('src') ?? ''));
  const words = escapeHtml(renderer.renderInlineAsText(image.children ?? [], options, env)) || source;
  return env?.inLink ? words : `<a href="${source}">${words}</a>`;
};

/**
 * The HTML of a text; a single paragraph comes without the tags around it. A text nested deeper than allowed is shown
 * as it is written, without markup.
 */
export function renderMarkdown(text: string): string {
  const wellFormed = text.toWellFormed();
  const tokens = markdown.parse(wellFormed, {});
  if (depth(tokens) > MAX_DEPTH) return escapeHtml(wellFormed).replaceAll('\n', '<br>');
  const single = tokens.length === 3 && tokens[0]!.type === 'paragraph_open';
  return renderer.render(single ? tokens.slice(1, 2) : tokens, markdown.options, {}).trimEnd();
}

/** An image's own children are left out: they end as words. */
function depth(tokens: readonly Token[]): number {
  let deepest = 0;
  for (const { type, level, children } of tokens)
    deepest = Math.max(deepest, level + (type === 'inline' && children ? depth(children) : 0));
  return deepest;
}
