// What differs inside lines that were changed: of a line that goes and the one that comes for it, the words that are not
// the same.
import { diffWordsWithSpace } from 'diff';
import type { Schemas } from '../lib/client';

type Line = Schemas['DiffLine'];
export interface Stretch {
  text: string;
  changed: boolean;
}

/** Longer lines are compared as a whole. */
const LONGEST = 600;
/** Of two lines that have less than this in common, nothing is set off: it would be noise. */
const ALIKE = 0.35;
/** So many pairs of one change are compared; where more lines change, words are not what one looks for. */
const PAIRS = 150;

/** The two lines in stretches; none where they are no pair. */
export function compared(before: string, after: string): [Stretch[], Stretch[]] | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  // What was written out must not be cut apart.
  if (before.includes('\\u{') || after.includes('\\u{')) return undefined;
  const changes = diffWordsWithSpace(before, after);
  let same = 0;
  const old: Stretch[] = [];
  const now: Stretch[] = [];
  for (const { value, added, removed } of changes) {
    if (!added && !removed) same += value.trim().length;
    if (!added) old.push({ text: value, changed: removed });
    if (!removed) now.push({ text: value, changed: added });
  }
  return same < ALIKE * Math.max(before.trim().length, after.trim().length) ? undefined : [old, now];
}

/** For each line its stretches, where it has any to tell. Lines that go are paired with those that come right behind them. */
export function stretches(lines: readonly Line[]): (Stretch[] | undefined)[] {
  const found: (Stretch[] | undefined)[] = lines.map(() => undefined);
  let at = 0;
  while (at < lines.length) {
    const from = at;
    while (lines[at]?.sign === '-') at += 1;
    const middle = at;
    while (lines[at]?.sign === '+') at += 1;
    for (let pair = 0; pair < Math.min(middle - from, at - middle, PAIRS); pair += 1) {
      const both = compared(lines[from + pair]?.text ?? '', lines[middle + pair]?.text ?? '');
      [found[from + pair], found[middle + pair]] = both ?? [undefined, undefined];
    }
    if (at === from) at += 1;
  }
  return found;
}
