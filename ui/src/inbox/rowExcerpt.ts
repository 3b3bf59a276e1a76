// The piece of a command that a row of the list shows: its beginning, or the words that make it dangerous.
import type { Question } from '../lib/live.svelte';
import { placesOfDangers } from '../question/dangers';
import { type TextSpan, sentSpans } from '../question/dangerSpans';
import type { TextMark } from '../question/textMarks';

export interface RowExcerpt {
  text: string;
  /** Where it begins in the whole command. */
  from: number;
  /** How many characters are left out after it. */
  more: number;
  marks: TextMark[];
}

/** What fits on the two lines of a row, even if a long word leaves the first one half empty. */
const MOST = 60;
/** Longer commands are not searched for a better piece in every row of the list. */
const LONGEST = 20_000;

/** The excerpt of a command; `undefined` if the question is about something else. */
export function rowExcerpt({ shown }: Pick<Question, 'shown'>): RowExcerpt | undefined {
  if (shown.form.form !== 'command' || shown.form.text === '' || shown.form.text.length > LONGEST) return undefined;
  const { text } = shown.form;
  const { spans } = placesOfDangers(shown);
  // The words that the sentence of the row is about; the others are in the question itself.
  const own = shown.danger.level === 'danger' ? sentSpans(text, shown.danger).at(-1) : undefined;
  const from = startOf(text, own ?? spans[0]);
  const end = text.trimEnd().length;
  let to = Math.min(end, from + MOST);
  if (/[\ud800-\udbff]/.test(text.charAt(to - 1))) to += 1;
  return { text: text.slice(from, to), from, more: Array.from(text.slice(to, end)).length, marks: spans.map((span) => ({ ...span, as: 'grave' })) };
}

/** Zero if the words are near the beginning; else where the command with these words begins, or they themselves. */
function startOf(text: string, words: TextSpan | undefined): number {
  if (words === undefined || words.to <= MOST) return 0;
  const start = commandStart(text, words.from);
  return words.to - start <= MOST ? start : words.from;
}

/** The beginning of the command or pipeline around a place, as far as separators tell. */
function commandStart(text: string, at: number): number {
  const after = ['&&', '||', ';', '\n'].map((separator) => {
    const found = at === 0 ? -1 : text.lastIndexOf(separator, at - 1);
    return found === -1 ? 0 : found + separator.length;
  });
  const start = Math.min(at, Math.max(...after));
  return start + (/^\s*/.exec(text.slice(start, at))?.[0].length ?? 0);
}
