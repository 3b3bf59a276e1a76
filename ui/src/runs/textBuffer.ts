// Text that grows piece by piece. Appending and reading the end take the same time however long the text is.

/** Pieces are merged up to this length, so that a million small deltas do not become a million pieces. */
const PIECE = 8192;

export class TextBuffer {
  readonly #pieces: string[] = [];
  #length = 0;

  constructor(text = '') {
    this.append(text);
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.#length;
  }

  append(text: string): void {
    if (text === '') return;
    const last = this.#pieces.length - 1;
    const piece = this.#pieces[last];
    if (piece !== undefined && piece.length + text.length <= PIECE) this.#pieces[last] = piece + text;
    else this.#pieces.push(text);
    this.#length += text.length;
  }

  /** The first characters. No surrogate pair is split. */
  head(most: number): string {
    let text = '';
    for (const piece of this.#pieces) {
      if (text.length >= most) break;
      text += piece.slice(0, most - text.length);
    }
    return /[\uD800-\uDBFF]$/.test(text) && text.length < this.#length ? text.slice(0, -1) : text;
  }

  /** The last characters. No surrogate pair is split. */
  tail(most: number): string {
    let text = '';
    for (let at = this.#pieces.length - 1; at >= 0 && text.length < most; at -= 1) {
      const piece = this.#pieces[at] ?? '';
      text = piece.slice(Math.max(0, piece.length - (most - text.length))) + text;
    }
    return /^[\uDC00-\uDFFF]/.test(text) && text.length < this.#length ? text.slice(1) : text;
  }

  all(): string {
    return this.#pieces.join('');
  }
}
