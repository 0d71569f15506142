/** Looks at a page of development from inside, on each animation frame. It touches nothing. */
import type { Probe } from './probed.ts';

const LEAST_CONTRAST = 4.5;
const LIVE = '[aria-live]:not([aria-live=off]), [role=status], [role=log], [role=alert]';

let seen: string[] = [];
let announced: string[] = [];
let shift = 0;

const push = (list: string[], text: string | null | undefined) => {
  if (text && text !== list.at(-1)) list.push(text);
};

function look(): void {
  push(seen, [...document.querySelectorAll('.reply .words')].at(-1)?.textContent);
  push(announced, document.querySelector('[role=status]')?.textContent?.trim());
  requestAnimationFrame(look);
}
requestAnimationFrame(look);

type Shift = PerformanceEntry & { readonly value: number; readonly hadRecentInput: boolean };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries() as Shift[]) if (!entry.hadRecentInput) shift += entry.value;
}).observe({ type: 'layout-shift' });

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** Any colour that CSS can write, as the screen shows it. */
function colourOf(text: string): Colour {
  const context = new OffscreenCanvas(1, 1).getContext('2d')!;
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue, alpha] = context.getImageData(0, 0, 1, 1).data as unknown as Colour;
  return [red, green, blue, alpha];
}

function groundOf(element: Element | null): Colour {
  if (!element) return colourOf(getComputedStyle(document.documentElement).backgroundColor);
  const colour = colourOf(getComputedStyle(element).backgroundColor);
  return colour[3] === 255 ? colour : groundOf(element.parentElement);
}

/** WCAG 2.2, "relative luminance" and "contrast ratio". */
function luminance([red, green, blue]: Colour): number {
  const linear = (value: number) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function contrastOf(element: Element): number {
  const words = luminance(colourOf(getComputedStyle(element).color));
  const ground = luminance(groundOf(element));
  return (Math.max(words, ground) + 0.05) / (Math.min(words, ground) + 0.05);
}

const hasWords = (element: Element) =>
  [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());

const textOf = (element: Element) => element.textContent?.trim().slice(0, 40) ?? '';

/** What is hidden from a screen reader is no part of a name. */
function nameOf(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return element.getAttribute('aria-label') ?? textOf(copy);
}

function faults(): string[] {
  const pale = [...document.body.querySelectorAll('*')].flatMap((element) => {
    if (!hasWords(element) || !element.checkVisibility()) return [];
    const contrast = contrastOf(element);
    return contrast < LEAST_CONTRAST ? [`${contrast.toFixed(2)}: ${textOf(element)}`] : [];
  });
  const nameless = [...document.querySelectorAll('a, button, textarea')].flatMap((element) =>
    nameOf(element) ? [] : [`no name: ${element.outerHTML.slice(0, 80)}`],
  );
  return [...pale, ...nameless];
}

globalThis.probe = {
  watch() {
    seen = [];
    announced = [];
    shift = 0;
  },
  frames: () => seen,
  shift: () => shift,
  announced: () => announced,
  isChatty: () => document.querySelector('.reply .words')?.closest(LIVE) !== null,
  focused() {
    const element = document.activeElement ?? document.body;
    const { outlineStyle } = getComputedStyle(element);
    return { text: nameOf(element), isMarked: element === document.body || outlineStyle === 'solid' };
  },
  faults,
} satisfies Probe;
