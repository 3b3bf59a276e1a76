// Tracks whether all of a question has been in view. An approval requires that every screenful was shown,
// not only the start or the end.
import { getContext, setContext, tick } from 'svelte';
import { prefs } from '../lib/prefs.svelte';
import { ViewedSpans } from './viewedSpans';
import { scrollToOffset, visibleSpans, onScreen } from './visibleSpans';

const KEY = Symbol('reading');

/** Something that must be seen. */
interface Item {
  element: HTMLElement;
  seen(): boolean;
  look(): void;
  /** Whether its next unseen part is above the screen. */
  above(): boolean;
  /** Screenfuls that were not seen yet, about. */
  left(): number;
  /** Scrolls to its next unseen part. Returns `false` if that had to be unfolded first and is not there yet. */
  show(): boolean;
}

/** A text: whether all of it is on the page, and a function that unfolds more of it. */
export interface TrackedText {
  whole: () => boolean;
  unfold: () => void;
  /** How much of it is on the page, from 0 to 1. */
  share?: () => number;
  /** Called with the number of lines in the box below its visible part. */
  below?: (lines: number) => void;
}

const WHOLE: TrackedText = { whole: () => true, unfold: () => undefined };
/** The maximum number of unfold steps per press. */
const TURNS = 5;

export class ViewTracker {
  readonly #pending: () => boolean;
  readonly #items = new Set<Item>();
  /** The seen spans of each text, whether it is mounted or not. */
  readonly #seen = new WeakMap<object, ViewedSpans>();
  // The first look is taken before the first paint.
  #unread: 'above' | 'below' | undefined = $state();
  #screens: { at: number; of: number } = $state.raw({ at: 1, of: 1 });
  #frame = 0;
  readonly #sizes: ResizeObserver;

  constructor(pending: () => boolean) {
    this.#pending = pending;
    this.#sizes = new ResizeObserver(() => this.#soon());
  }

  /** Whether the question still needs an answer. */
  get pending(): boolean {
    return this.#pending();
  }

  /** Where something unseen is; undefined if all was seen. */
  get unread(): 'above' | 'below' | undefined {
    return this.#unread;
  }

  /** How many screenfuls have been in view, and of how many, about. */
  get screens(): { at: number; of: number } {
    return this.#screens;
  }

  /** Whether all of a text has been in view. */
  knows(key: object): boolean {
    return this.#seen.get(key)?.whole === true;
  }

  /** Tracks a text in a box, for `{@attach}`. `key`: identifies the text, whichever box shows it. */
  text(key: object, { whole, unfold, below, share }: TrackedText = WHOLE): (box: HTMLElement) => () => void {
    return (box) => {
      const seen = this.#seen.get(key) ?? new ViewedSpans();
      this.#seen.set(key, seen);
      return this.#add({
        element: box,
        seen: () => seen.whole,
        look: () => {
          below?.(linesBelow(box));
          if (seen.whole || box.offsetHeight === 0) return;
          seen.lay(box.offsetWidth, box.scrollHeight);
          for (const stretch of visibleSpans(box)) seen.add(stretch);
          if (whole()) seen.close();
        },
        left: () => {
          const height = box.scrollHeight / Math.max(0.01, share?.() ?? 1);
          const page = Math.max(80, Math.min(box.clientHeight, innerHeight * 0.6) * 0.85);
          return Math.max(0, height - (seen.gap ?? box.scrollHeight)) / page;
        },
        above: () => onScreen(box, seen.gap ?? box.scrollHeight) < 0,
        show: () => {
          seen.lay(box.offsetWidth, box.scrollHeight);
          const gap = seen.gap ?? box.scrollHeight;
          // If less than a screenful is left, there is room to unfold more.
          const short = !whole() && box.scrollHeight - gap < innerHeight;
          if (short) unfold();
          else scrollToOffset(box, gap);
          return !short;
        },
      });
    };
  }

  /** Placeholder of something that is not on the page, for `{@attach}`. `known`: whether that was seen anyway. */
  fold(known: () => boolean, unfold: () => void): (element: HTMLElement) => () => void {
    return (element) =>
      this.#add({
        element,
        seen: known,
        look: () => undefined,
        left: () => 0.2,
        above: () => element.getBoundingClientRect().bottom < 0,
        show: () => {
          unfold();
          return false;
        },
      });
  }

  #add(item: Item): () => void {
    this.#items.add(item);
    this.#sizes.observe(item.element);
    this.#soon();
    return () => {
      this.#sizes.unobserve(item.element);
      this.#items.delete(item);
      this.#soon();
    };
  }

  /** Checks what is visible just before painting: an earlier layout may never have been seen. */
  readonly #soon = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const item of this.#items) item.look();
      const next = this.#next();
      this.#unread = next === undefined ? undefined : next.above() ? 'above' : 'below';
      this.#count();
    });
  };

  /** Estimates the screenfuls. The number of those seen never goes back. */
  #count(): void {
    const left = Math.ceil([...this.#items].reduce((sum, item) => (item.seen() ? sum : sum + item.left()), 0));
    const at = Math.max(this.#screens.at, this.#screens.of - left);
    const of = Math.max(this.#screens.of, at + left);
    if (at !== this.#screens.at || of !== this.#screens.of) this.#screens = { at, of };
  }

  /** The first unseen text; inner ones before outer ones. */
  #next(): Item | undefined {
    return [...this.#items].filter((item) => !item.seen()).reduce<Item | undefined>((first, item) => (first === undefined || precedes(item.element, first.element) ? item : first), undefined);
  }

  /** Scrolls to what was not yet in view. Returns whether there was anything. */
  readOn(): boolean {
    if (this.#next() === undefined) return false;
    void this.#show();
    return true;
  }

  async #show(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (this.#next()?.show() !== false) break;
      await tick();
    }
    // It may be in view already, without a scroll: what covered it is gone.
    this.#soon();
  }

  /** Watches until the returned function is called. */
  watch(): () => void {
    this.#soon();
    // What changes above a text moves it.
    this.#sizes.observe(document.body);
    addEventListener('scroll', this.#soon, { capture: true, passive: true });
    addEventListener('resize', this.#soon);
    return () => {
      removeEventListener('scroll', this.#soon, { capture: true });
      removeEventListener('resize', this.#soon);
      this.#sizes.disconnect();
      cancelAnimationFrame(this.#frame);
    };
  }
}

/** Sets the tracker for this subtree. `pending`: whether the question still needs an answer. */
export function provideViewTracker(pending: () => boolean): ViewTracker {
  return setContext(KEY, new ViewTracker(pending));
}

/** The tracker of this subtree, if any. Call it during component initialization. */
export function useViewTracker(): ViewTracker | undefined {
  return getContext<ViewTracker | undefined>(KEY);
}

/**
 * Whether lines are wrapped: according to this device's setting, but always while an answer is needed,
 * because text beyond the right edge is not seen. Call it during component initialization.
 */
export function wrapsLines(): () => boolean {
  const reading = useViewTracker();
  return () => prefs.now.wrap || reading?.pending === true;
}

function precedes(one: HTMLElement, other: HTMLElement): boolean {
  const place = one.compareDocumentPosition(other);
  return (place & (Node.DOCUMENT_POSITION_CONTAINS | Node.DOCUMENT_POSITION_CONTAINED_BY)) === 0 ? (place & Node.DOCUMENT_POSITION_FOLLOWING) !== 0 : (place & Node.DOCUMENT_POSITION_CONTAINS) !== 0;
}

function linesBelow(box: HTMLElement): number {
  const line = parseFloat(getComputedStyle(box).lineHeight) || 24;
  const hidden = box.scrollHeight - box.clientHeight - box.scrollTop;
  return hidden > line / 2 ? Math.ceil(hidden / line) : 0;
}

/** Scrolls a box by one page. */
export function scrollOnePage(box: HTMLElement | undefined): void {
  box?.scrollBy({ top: box.clientHeight * 0.85 });
}
