// Whether the end of what is asked has been in view. Who says yes to a command should have had all of it before their eyes.
import { getContext, setContext, tick } from 'svelte';

const KEY = Symbol('reading');

/** A text that may be longer than its box or the window. */
interface Text {
  /** Whether its end has been in view by now. */
  seen(): boolean;
  /** Brings the end into view. */
  show(): void;
}

export class Reading {
  readonly #texts = new Set<Text>();
  #unread = $state(false);

  /** Whether there is an end that has not been in view. */
  get unread(): boolean {
    return this.#unread;
  }

  add(text: Text): () => void {
    this.#texts.add(text);
    return () => {
      this.#texts.delete(text);
      this.look();
    };
  }

  look(): void {
    this.#unread = [...this.#texts].some((text) => !text.seen());
  }

  /** Brings what has not been in view there. Gives whether there was anything. */
  readOn(): boolean {
    this.look();
    const first = [...this.#texts].find((text) => !text.seen());
    first?.show();
    return first !== undefined;
  }
}

/** Everything below says here how far it was read. */
export function reads(): Reading {
  return setContext(KEY, new Reading());
}

/** The end of a text in a box. To be made while a component is made. */
export class End {
  readonly #reading: Reading | undefined = getContext<Reading | undefined>(KEY);
  readonly #whole: () => boolean;
  readonly #unfold: () => void;
  #seen = false;
  #below = $state(0);

  /** `whole`: whether nothing is left out at the end; `unfold`: puts it there. */
  constructor(whole: () => boolean, unfold: () => void) {
    this.#whole = whole;
    this.#unfold = unfold;
  }

  /** How many lines are in the box, below what can be seen of it. */
  get below(): number {
    return this.#below;
  }

  /** Watches the box until what it gives is called. `mark` stands at the end of the text. */
  watch(box: HTMLElement, mark: HTMLElement): () => void {
    const look = (): void => {
      const line = parseFloat(getComputedStyle(box).lineHeight) || 24;
      const hidden = box.scrollHeight - box.clientHeight - box.scrollTop;
      this.#below = hidden > line / 2 ? Math.ceil(hidden / line) : 0;
      this.#seen ||= this.#whole() && inSight(box, mark);
      this.#reading?.look();
    };
    const text: Text = {
      seen: () => (this.#seen ||= this.#whole() && inSight(box, mark)),
      show: () => {
        this.#unfold();
        void tick().then(() => mark.scrollIntoView({ block: 'center' }));
      },
    };
    const leave = this.#reading?.add(text);
    const sizes = new ResizeObserver(look);
    sizes.observe(box);
    addEventListener('scroll', look, { capture: true, passive: true });
    addEventListener('resize', look);
    return () => {
      sizes.disconnect();
      removeEventListener('scroll', look, { capture: true });
      removeEventListener('resize', look);
      leave?.();
    };
  }

  /** Goes on by as much as the box shows. */
  page(box: HTMLElement): void {
    box.scrollBy({ top: box.clientHeight * 0.85 });
  }
}

/** Whether a mark is on the screen, not scrolled out of its box and not under anything. */
function inSight(box: HTMLElement, mark: HTMLElement): boolean {
  const { left, top, height } = mark.getBoundingClientRect();
  const found = document.elementFromPoint(left, top + height / 2);
  return found !== null && box.contains(found);
}
