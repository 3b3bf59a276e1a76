// Vertical spans that have been in view. Jumping to the end does not count for what lies between.

/** Pixels from the top. */
export interface PixelSpan {
  from: number;
  to: number;
}

/** Less than a line: no text hides in so little. */
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

  /** How it is laid out now. What grows at its end keeps its place; anything else may have moved, and is looked at anew. */
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

  /** There is nothing more of it than what was laid out. */
  close(): void {
    this.#whole ||= this.gap === undefined;
  }
}
