// The visible part of a box: on screen, not scrolled out, and not covered.
import type { PixelSpan } from './viewedSpans';

/** Step in pixels; smaller than any line. */
const STEP = 8;
/**
 * Distance from the edges in pixels: corners are round, so a point in one would belong to what is under it.
 */
const INSET = 12;
/** Pixels that stay in view when scrolling on. */
const KEPT = 48;

/** Visible spans of a box, from the top of its content. */
export function visibleSpans(box: HTMLElement): PixelSpan[] {
  const { left, right, top, bottom } = box.getBoundingClientRect();
  const begin = top + box.clientTop - box.scrollTop;
  const last = Math.min(bottom, innerHeight) - 1;
  const inset = Math.min(INSET, (right - left) / 3);
  const columns = [left + inset, (left + right) / 2, right - inset];
  const clear = (y: number): boolean => columns.every((x) => box.contains(document.elementFromPoint(x, y)));
  const found: PixelSpan[] = [];
  let open: PixelSpan | undefined;
  for (let y = Math.max(top, 0) + 1; y <= last; y = y < last ? Math.min(y + STEP, last) : y + 1) {
    if (!clear(y)) open = undefined;
    else if (open !== undefined) open.to = y - begin;
    else found.push((open = { from: y - begin, to: y - begin }));
  }
  return found;
}

/** The position on the screen of an offset in a box. */
export function onScreen(box: HTMLElement, at: number): number {
  return box.getBoundingClientRect().top + box.clientTop + at - box.scrollTop;
}

/** Scrolls to an offset in a box, so that as much after it as fits is visible. */
export function scrollToOffset(box: HTMLElement, at: number): void {
  const style = getComputedStyle(document.documentElement);
  const above = Math.min(parseFloat(style.scrollPaddingTop) || 0, innerHeight * 0.15);
  const below = innerHeight - (parseFloat(style.scrollPaddingBottom) || 0);
  const kept = Math.min(KEPT, Math.max(0, below - above) * 0.15);
  box.scrollTop = Math.max(0, at - kept);
  const from = onScreen(box, at) - kept;
  const to = Math.min(box.getBoundingClientRect().bottom, onScreen(box, box.scrollHeight));
  if (from < above || to > below) scrollBy({ top: from - above, behavior: 'instant' });
}
