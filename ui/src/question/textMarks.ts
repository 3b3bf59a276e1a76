// A text cut at the edges of marks, for display. Of marks that overlap, the first listed one counts.

/** A marked range of a string, in UTF-16 units. `as`: its CSS class. */
export interface TextMark {
  from: number;
  to: number;
  as: string;
}

export interface MarkedPiece {
  text: string;
  as: string | undefined;
}

/** The pieces of a text that starts at `start` of the marked string. Marks must be in order and not overlap. */
export function markedPieces(text: string, start: number, marks: readonly TextMark[]): MarkedPiece[] {
  const end = start + text.length;
  const found: MarkedPiece[] = [];
  let at = start;
  for (let place = firstEndingAfter(marks, start); place < marks.length; place += 1) {
    const mark = marks[place];
    if (mark === undefined || mark.from >= end) break;
    const [from, to] = [Math.max(mark.from, at), Math.min(mark.to, end)];
    if (to <= from) continue;
    if (from > at) found.push({ text: text.slice(at - start, from - start), as: undefined });
    found.push({ text: text.slice(from - start, to - start), as: mark.as });
    at = to;
  }
  if (at < end) found.push({ text: text.slice(at - start), as: undefined });
  return found;
}

function firstEndingAfter(marks: readonly TextMark[], start: number): number {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.to ?? 0) > start) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Marks in order. Where `over` has one, those of `under` are cut away. */
export function layered(over: readonly TextMark[], under: readonly TextMark[]): TextMark[] {
  const found = [...over];
  let next = 0;
  for (const mark of under) {
    let from = mark.from;
    while (next < over.length && (over[next]?.to ?? 0) <= from) next += 1;
    for (let place = next; from < mark.to; place += 1) {
      const upper = over[place];
      const to = Math.min(mark.to, upper?.from ?? Infinity);
      if (to > from) found.push({ ...mark, from, to });
      if (upper === undefined) break;
      from = Math.max(from, upper.to);
    }
  }
  return found.sort((a, b) => a.from - b.from);
}
