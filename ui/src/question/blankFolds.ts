// Folds blank lines and long runs of blanks in a command, which would push what follows out of
// view, into a short visible label.
import type { Segment } from './segments';

export interface Fold {
  /** Its position in the text. */
  from: number;
  to: number;
  kind: 'lines' | 'blanks';
  count: number;
}

// Three or more empty lines; more blanks than any indentation.
const RUNS = /(?<=^|\n)(?:[ \t]*\n){3,}|[ \t]{81,}/g;
/** Folds beyond this number stay unfolded. */
const MOST = 500;
/** Characters a fold counts for. */
const FOLDED_LENGTH = 12;

/** The folds of a text. */
export function foldsOf(text: string): Fold[] {
  const found: Fold[] = [];
  for (const match of text.matchAll(RUNS)) {
    if (found.length >= MOST) break;
    const run = match[0];
    const lines = run.split('\n').length - 1;
    const to = match.index + run.length;
    found.push(lines > 0 ? { from: match.index, to, kind: 'lines', count: lines } : { from: match.index, to, kind: 'blanks', count: run.length });
  }
  return found;
}

/** A segment of a command, or the label of a fold. */
export type FoldedSegment = Segment & { fold?: Fold };

/** Replaces folded text by one segment per fold. Opened folds stay as they are. */
export function folded(segments: readonly Segment[], folds: readonly Fold[], opened: ReadonlySet<number>): FoldedSegment[] {
  const closed = folds.filter((fold) => !opened.has(fold.from));
  if (closed.length === 0) return [...segments];
  const found: FoldedSegment[] = [];
  let next = 0;
  let begin = 0;
  for (const segment of segments) {
    const end = begin + segment.text.length;
    let at = begin;
    for (let fold = closed[next]; fold !== undefined && fold.from < end; fold = closed[next]) {
      if (fold.from > at) found.push({ ...segment, text: segment.text.slice(at - begin, fold.from - begin) });
      // A fold that spans segments is shown once, where it starts.
      if (fold.from >= begin) found.push({ text: '', over: [], decision: undefined, fold });
      at = Math.min(fold.to, end);
      if (fold.to > end) break;
      next += 1;
    }
    if (at < end) found.push({ ...segment, text: segment.text.slice(at - begin) });
    begin = end;
  }
  return found;
}

/** Characters a segment takes on screen. */
export function displayLength(stretch: FoldedSegment): number {
  return stretch.fold === undefined ? stretch.text.length : FOLDED_LENGTH;
}
