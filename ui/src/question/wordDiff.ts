// Word diff of a removed line and the added line that replaces it.
import { diffWordsWithSpace } from 'diff';
import type { Schemas } from '../lib/client';

type Line = Schemas['DiffLine'];
export interface WordSpan {
  text: string;
  changed: boolean;
}

/** Longer lines are not compared by word. */
const LONGEST = 600;
/** Lines with less than this in common show no word diff. */
const ALIKE = 0.35;
/** The maximum number of differing words per pair. */
const MOST_EDITS = 200;
/** Time limits in milliseconds, per pair and per question, so that an agent cannot block the page. */
const PAIR_MS = 20;
const ALL_MS = 150;
/** The maximum number of pairs per change that are compared. */
const PAIRS = 150;

/** Time left for word diffs. */
export class DiffBudget {
  readonly #now: () => number;
  #left: number;

  constructor(ms = ALL_MS, now: () => number = () => performance.now()) {
    this.#left = ms;
    this.#now = now;
  }

  /** Runs a function and subtracts its time; returns undefined once no time is left. */
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

/** Both lines in spans; undefined if they are too different or too slow to compare. */
export function diffWords(before: string, after: string): [WordSpan[], WordSpan[]] | undefined {
  if (before.length > LONGEST || after.length > LONGEST) return undefined;
  // Do not cut escapes apart.
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

/** Word diffs of a hunk, computed when first needed. */
export class WordDiffs {
  readonly #lines: readonly Line[];
  readonly #budget: DiffBudget;
  /** For each removed line, the added line that replaces it. */
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

  /**
   * The spans of a line, if it has a word diff. Removed lines are paired with the added lines right after
   * them.
   */
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
