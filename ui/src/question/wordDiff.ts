// What differs inside lines that were changed: of a line that goes and the one that comes for it, the words that are not
// the same.
import { diffWordsWithSpace } from 'diff';
import type { Schemas } from '../lib/client';

type Line = Schemas['DiffLine'];
export interface WordSpan {
  text: string;
  changed: boolean;
}

/** Longer lines are compared as a whole. */
const LONGEST = 600;
/** Of two lines that have less than this in common, nothing is set off: it would be noise. */
const ALIKE = 0.35;
/** Lines that differ in more words than this are not worth the time it takes to tell which. */
const MOST_EDITS = 200;
/** How long one pair may take, and all of a question together, in milliseconds: whoever asks must not be able to hold up the page. */
const PAIR_MS = 20;
const ALL_MS = 150;
/** So many pairs of one change are compared; where more lines change, words are not what one looks for. */
const PAIRS = 150;

/** The time that comparing words may still take. */
export class DiffBudget {
  readonly #now: () => number;
  #left: number;

  constructor(ms = ALL_MS, now: () => number = () => performance.now()) {
    this.#left = ms;
    this.#now = now;
  }

  /** Runs something and takes its time off; gives nothing once there is none left. */
  spend<Found>(work: () => Found): Found | undefined {
    if (this.#left <= 0) return undefined;
    const begun = this.#now();
    try {
      return work();
    } finally {
      this.#left -= this.#now() - begun;
    }
  }
}

/** The two lines in stretches; none where they are no pair, or too unlike to be compared in time. */
export function diffWords(before: string, after: string): [WordSpan[], WordSpan[]] | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  // What was written out must not be cut apart.
  if (before.includes('\\u{') || after.includes('\\u{')) return undefined;
  const changes = diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS, timeout: PAIR_MS });
  if (changes === undefined) return undefined;
  let same = 0;
  const old: WordSpan[] = [];
  const now: WordSpan[] = [];
  for (const { value, added, removed } of changes) {
    if (!added && !removed) same += value.trim().length;
    if (!added) old.push({ text: value, changed: removed });
    if (!removed) now.push({ text: value, changed: added });
  }
  return same < ALIKE * Math.max(before.trim().length, after.trim().length) ? undefined : [old, now];
}

/** The words of a hunk's lines, compared when they are first asked for: what is not shown costs nothing. */
export class WordDiffs {
  readonly #lines: readonly Line[];
  readonly #budget: DiffBudget;
  /** For a line that goes the one that comes for it. */
  readonly #comes = new Map<number, number>();
  readonly #goes = new Map<number, number>();
  readonly #found = new Map<number, [WordSpan[], WordSpan[]] | undefined>();

  constructor(lines: readonly Line[], budget: DiffBudget) {
    this.#lines = lines;
    this.#budget = budget;
    let at = 0;
    while (at < lines.length) {
      const from = at;
      while (lines[at]?.sign === '-') at += 1;
      const middle = at;
      while (lines[at]?.sign === '+') at += 1;
      for (let pair = 0; pair < Math.min(middle - from, at - middle, PAIRS); pair += 1) {
        this.#comes.set(from + pair, middle + pair);
        this.#goes.set(middle + pair, from + pair);
      }
      if (at === from) at += 1;
    }
  }

  /** A line's stretches, where it has any to tell. Lines that go are paired with those that come right behind them. */
  of(line: number): WordSpan[] | undefined {
    const old = this.#comes.has(line) ? line : this.#goes.get(line);
    const now = old === undefined ? undefined : this.#comes.get(old);
    if (old === undefined || now === undefined) return undefined;
    if (!this.#found.has(old)) {
      this.#found.set(old, this.#budget.spend(() => diffWords(this.#lines[old]?.text ?? '', this.#lines[now]?.text ?? '')));
    }
    return this.#found.get(old)?.[line === old ? 0 : 1];
  }
}
