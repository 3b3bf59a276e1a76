// Vertical spans that have been in view. Jumping to the end does not mark what is between as seen.

/** Pixels from the top. */
export interface PixelSpan {
  from: number;
  to: number;
}

/** Less than the height of a line, so no text fits into a gap of this size. */
const SLACK = 10;

export class ViewedSpans {
  #stretches: PixelSpan[] = [];
  #width = 0;
  #height = 0;
  #whole = false;

  /** Whether all of it has been in view. Once true, it stays true. */
  get whole(): boolean {
    return this.#whole;
  }

  /**
   * Records the current layout. If the text only grew at its end, what was seen stays seen; otherwise it may
   * have moved and must be seen again.
   */
  lay(width: number, height: number): void {
    if (width !== this.#width || height < this.#height - 1) this.#stretches = [];
    this.#width = width;
    this.#height = height;
  }

  add({ from, to }: PixelSpan): void {
    const apart = this.#stretches.filter((one) => one.to < from - SLACK || one.from > to + SLACK);
    const touching = this.#stretches.filter((one) => !apart.includes(one));
    const joined = { from: Math.min(from, ...touching.map((one) => one.from)), to: Math.max(to, ...touching.map((one) => one.to)) };
    this.#stretches = [...apart, joined].sort((one, other) => one.from - other.from);
  }

  /** Start of the first unseen span; undefined if there is none. */
  get gap(): number | undefined {
    const first = this.#stretches[0];
    if (first === undefined || first.from > SLACK) return 0;
    return first.to + SLACK < this.#height ? first.to : undefined;
  }

  /** Records that all of the text has been laid out. */
  close(): void {
    this.#whole ||= this.gap === undefined;
  }
}
