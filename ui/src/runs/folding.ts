// What is shown of a long text.

export interface Folded {
  head: string;
  /** How many characters are left out between them. */
  left: number;
  tail: string;
}

/** The parts of a text that can be read without holding all of it, such as a `TextBuffer`. */
export interface LongText {
  readonly length: number;
  head(most: number): string;
  tail(most: number): string;
}

/** Texts up to this length are shown whole. */
export const WHOLE = 6000;
const TAIL = 1500;
/** How much one press shows in addition. */
export const MORE = 60_000;

/** The beginning and the end of a text. `more`: how many characters of the middle are shown besides. */
export function folded(text: LongText, more = 0): Folded {
  if (text.length <= WHOLE + more) return { head: text.head(text.length), left: 0, tail: '' };
  const head = WHOLE - TAIL + more;
  return { head: text.head(head), left: text.length - head - TAIL, tail: text.tail(TAIL) };
}

/** The end of a text that still grows, from the beginning of a line if one is near. */
export function growing(text: LongText): Folded {
  if (text.length <= WHOLE) return { head: '', left: 0, tail: text.head(text.length) };
  const tail = text.tail(WHOLE / 2);
  const line = tail.indexOf('\n');
  const shown = line >= 0 && line < 400 ? tail.slice(line + 1) : tail;
  return { head: '', left: text.length - shown.length, tail: shown };
}

/** A string as a long text. */
export function longText(text: string): LongText {
  return {
    length: text.length,
    head: (most) => clean(text.slice(0, most), text.length),
    tail: (most) => (most >= text.length ? text : text.slice(text.length - most).replace(/^[\uDC00-\uDFFF]/, '')),
  };
}

/** Without the line breaks at its end. */
export function withoutLastLines(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\n') end -= 1;
  return text.slice(0, end);
}

function clean(part: string, whole: number): string {
  return part.length < whole ? part.replace(/[\uD800-\uDBFF]$/, '') : part;
}
