// Which entries of a story are on the page: the last ones. They get there one by one, so that a frame can stop when its
// time is up. A card takes about a millisecond, and a model can ask for hundreds of calls at once.

/** How many entries of a story are on the page at once. */
export const WINDOW = 120;

export class ShownEntries<T extends { readonly key: number }> {
  #list: readonly T[] = [];
  #from = 0;

  /** The entries on the page. Another array after each step. */
  get list(): readonly T[] {
    return this.#list;
  }

  /**
   * Brings the page one entry closer to the end of the story. `more`: how many earlier entries are wanted besides the
   * last ones. Returns whether anything has changed.
   */
  step(all: readonly T[], more: number): boolean {
    const most = WINDOW + more;
    const first = hiddenBefore(all, more);
    const list = this.#list;
    const end = this.#from + list.length;
    if (list.length === 0) {
      this.#from = first;
      this.#list = all.slice(first, first + 1);
      return this.#list.length > 0;
    }
    if (end <= first) {
      // Everything on the page is too old. Begin with the newest.
      this.#from = all.length - 1;
      this.#list = all.slice(-1);
      return true;
    }
    const at = list.findIndex((entry, index) => entry !== all[this.#from + index]);
    const now = at < 0 ? undefined : all[this.#from + at];
    if (at >= 0) {
      // Without the same key, an entry was taken back: those after it have moved.
      this.#list = [...list.slice(0, at), ...(now !== undefined && now.key === list[at]?.key ? [now, ...list.slice(at + 1)] : [])];
      return true;
    }
    const next = all[end];
    if (next !== undefined) {
      const full = list.length >= most;
      this.#list = [...(full ? list.slice(1) : list), next];
      if (full) this.#from += 1;
      return true;
    }
    const earlier = this.#from > first ? all[this.#from - 1] : undefined;
    if (earlier === undefined) return false;
    this.#list = [earlier, ...list];
    this.#from -= 1;
    return true;
  }
}

/** How many entries come before those that are to be on the page. */
export function hiddenBefore(all: readonly unknown[], more: number): number {
  return Math.max(0, all.length - WINDOW - more);
}
