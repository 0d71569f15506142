/** A box that scrolls, and stays at its end while that is where one looks: what grows above moves nothing below. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** So near to the end is at the end, px. */
const NEAR = 24;

export function Scroller({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const box = useRef<HTMLElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const scrolled = box.current!;
    let isAtEnd = true;
    let before = 0;
    const look = () => {
      const { scrollHeight, scrollTop, clientHeight } = scrolled;
      // Only who scrolls up leaves the end: it also moves away by itself, when more comes than was scrolled to.
      isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR || (isAtEnd && scrollTop >= before);
      before = scrollTop;
    };
    const follow = new ResizeObserver(() => {
      if (isAtEnd) scrolled.scrollTop = scrolled.scrollHeight;
    });
    scrolled.addEventListener('scroll', look, { passive: true });
    follow.observe(inner.current!);
    follow.observe(scrolled);
    return () => {
      follow.disconnect();
      scrolled.removeEventListener('scroll', look);
    };
  }, []);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard, in every browser.
    <section class="scroller" ref={box} tabIndex={0} aria-label={label}>
      <div ref={inner}>{children}</div>
    </section>
  );
}
