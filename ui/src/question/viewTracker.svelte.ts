// Whether all of what is asked has been in view. Who says yes should have had the whole of it before their eyes, screen by
// screen: neither only its beginning nor only its end.
import { getContext, setContext, tick } from 'svelte';
import { prefs } from '../lib/prefs.svelte';
import { ViewedSpans } from './viewedSpans';
import { scrollToOffset, visibleSpans, onScreen } from './viewport';

const KEY = Symbol('reading');

/** Something that has to be seen. */
interface Item {
  element: HTMLElement;
  seen(): boolean;
  look(): void;
  /** Whether what is next of it lies above the screen. */
  above(): boolean;
  /** Brings what is next of it into view. Gives `false` where it had to be unfolded first, and is not there yet. */
  show(): boolean;
}

/** A text: whether all of it is on the page, and what puts more of it there. */
export interface TrackedText {
  whole: () => boolean;
  unfold: () => void;
  /** How many lines are in the box, below what can be seen of it. */
  below?: (lines: number) => void;
}

const WHOLE: TrackedText = { whole: () => true, unfold: () => undefined };
/** So often something is unfolded at one wish before there is something to be shown. */
const TURNS = 5;

export class ViewTracker {
  readonly #pending: () => boolean;
  readonly #items = new Set<Item>();
  /** What was seen of what, whether it is on the page now or not. */
  readonly #seen = new WeakMap<object, ViewedSpans>();
  // What has just come is unread, and the words that say so take room, until it was looked at as it is painted.
  #unread: 'above' | 'below' | undefined = $state('below');
  #frame = 0;
  readonly #sizes: ResizeObserver;

  constructor(pending: () => boolean) {
    this.#pending = pending;
    this.#sizes = new ResizeObserver(() => this.#soon());
  }

  /** Whether an answer is still wanted. */
  get pending(): boolean {
    return this.#pending();
  }

  /** Where there is something that has not been in view; nothing where there is none. */
  get unread(): 'above' | 'below' | undefined {
    return this.#unread;
  }

  /** Whether all of a text has been in view. */
  knows(key: object): boolean {
    return this.#seen.get(key)?.whole === true;
  }

  /** A text in a box, for `{@attach}`. `key`: what it is the text of, in whatever box. */
  text(key: object, { whole, unfold, below }: TrackedText = WHOLE): (box: HTMLElement) => () => void {
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
        above: () => onScreen(box, seen.gap ?? box.scrollHeight) < 0,
        show: () => {
          seen.lay(box.offsetWidth, box.scrollHeight);
          const gap = seen.gap ?? box.scrollHeight;
          // Where less than a screenful is left, there is room for more of it.
          const short = !whole() && box.scrollHeight - gap < innerHeight;
          if (short) unfold();
          else scrollToOffset(box, gap);
          return !short;
        },
      });
    };
  }

  /** What stands for something that is not on the page, for `{@attach}`. `known`: whether that was seen all the same. */
  fold(known: () => boolean, unfold: () => void): (element: HTMLElement) => () => void {
    return (element) =>
      this.#add({
        element,
        seen: known,
        look: () => undefined,
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

  /** Looks at what is about to be painted: what was laid out before that may never have been seen. */
  readonly #soon = (): void => {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      for (const item of this.#items) item.look();
      const next = this.#next();
      this.#unread = next === undefined ? undefined : next.above() ? 'above' : 'below';
    });
  };

  /** The first that was not seen. What is in something comes before what it is in. */
  #next(): Item | undefined {
    return [...this.#items].filter((item) => !item.seen()).reduce<Item | undefined>((first, item) => (first === undefined || precedes(item.element, first.element) ? item : first), undefined);
  }

  /** Brings what has not been in view there. Gives whether there was anything. */
  readOn(): boolean {
    if (this.#next() === undefined) return false;
    void this.#show();
    return true;
  }

  async #show(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (this.#next()?.show() !== false) return;
      await tick();
    }
  }

  /** Looks until what it gives is called. */
  watch(): () => void {
    this.#soon();
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

/** Everything below says here how far it was read. `pending`: whether an answer is still wanted. */
export function provideViewTracker(pending: () => boolean): ViewTracker {
  return setContext(KEY, new ViewTracker(pending));
}

/** What is read here, where it is read for an answer. To be called while a component is made. */
export function useViewTracker(): ViewTracker | undefined {
  return getContext<ViewTracker | undefined>(KEY);
}

/** Whether lines are wrapped: as this device wants it, but always while an answer is wanted, for what lies to the right is not seen. To be called while a component is made. */
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

/** Goes on by as much as a box shows. */
export function scrollOnePage(box: HTMLElement | undefined): void {
  box?.scrollBy({ top: box.clientHeight * 0.85 });
}
