// Blank lines and long runs of blanks in a command. They take room and say nothing, and what follows them would be out of
// view: they are folded into a few words that can be seen.
import type { Segment } from './segments';

export interface Fold {
  /** Where it stands in the text. */
  from: number;
  to: number;
  kind: 'lines' | 'blanks';
  count: number;
}

// Three empty lines or more behind a line's end; more blanks than any line is indented by.
const RUNS = /(?<=^|\n)(?:[ \t]*\n){3,}|[ \t]{81,}/g;
/** More than this are not folded: somebody has gone to great lengths, and whoever reads on sees it. */
const MOST = 500;
/** So much of the room at first one takes that is folded. */
const FOLDED_LENGTH = 12;

/** What is folded in a text. */
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

/** A stretch of a command, or what stands for one that is folded. */
export type FoldedSegment = Segment & { fold?: Fold };

/** The stretches with what is folded taken out of them, and one for each fold in its place. What was opened stays as it is. */
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
      // It is told once, where it begins, whatever it reaches into.
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

/** How much of the room a stretch takes. */
export function displayLength(stretch: FoldedSegment): number {
  return stretch.fold === undefined ? stretch.text.length : FOLDED_LENGTH;
}
