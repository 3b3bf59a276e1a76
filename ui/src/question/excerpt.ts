// The lines of a long text that matter, so that it can be repeated in little space.
import type { TextSpan } from './dangerSpans';

export interface ExcerptLine extends TextSpan {
  text: string;
  /** Whether text before or after it on its line is left out. */
  cut: boolean;
  goesOn: boolean;
}

const MOST_CHARACTERS = 400;
const MOST_LINES = 6;
/** Characters kept before and after a word. */
const AROUND = 60;

/** The whole text if it is short; else the lines with these spans, or its beginning. */
export function excerpt(text: string, spans: readonly TextSpan[]): ExcerptLine[] {
  const trimmed = text.trimEnd();
  const whole = trimmed.length <= MOST_CHARACTERS && trimmed.split('\n').length <= MOST_LINES;
  if (whole) return [line(text, 0, trimmed.length)];
  if (spans.length === 0) return [line(text, 0, Math.min(MOST_CHARACTERS, trimmed.split('\n').slice(0, MOST_LINES).join('\n').length))];
  const found: ExcerptLine[] = [];
  for (const span of spans) {
    if (found.length >= MOST_LINES) break;
    const begin = text.lastIndexOf('\n', span.from - 1) + 1;
    const next = text.indexOf('\n', span.to);
    const last = found.at(-1);
    const from = Math.max(begin, span.from - AROUND, last?.to ?? 0);
    const to = Math.min(next === -1 ? text.length : next, span.to + AROUND);
    if (last !== undefined && last.to >= span.to) continue;
    found.push(line(text, Math.min(from, span.from), to));
  }
  return found;
}

function line(text: string, from: number, to: number): ExcerptLine {
  return { from, to, text: text.slice(from, to), cut: from > 0 && text.charAt(from - 1) !== '\n', goesOn: to < text.trimEnd().length && text.charAt(to) !== '\n' };
}
