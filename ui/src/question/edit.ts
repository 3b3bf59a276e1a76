// Editing the input of a call before it is approved: which fields can be edited as text, what an edit
// changes, and whether it changes anything at all.
import { visiblePieces } from '../lib/visible';
import { lineDiff, type LineDiff } from './lineDiff';

export type Input = Record<string, unknown>;
export type InputForm = 'command' | 'diff' | 'url' | 'json';
export interface Field {
  name: string;
  text: string;
}

/**
 * Names of the input fields that hold the text a person would edit, by the form in which the input is shown.
 */
const TEXTS: Record<InputForm, readonly string[]> = {
  command: ['command', 'cmd'],
  diff: ['content', 'contents', 'file_text', 'new_string', 'newString', 'new_str', 'new_source', 'code_edit', 'patch', 'patchText', 'input'],
  url: ['url'],
  json: [],
};

export function isInput(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The fields of an input that can be edited as plain text. A text area would change lone carriage returns and
 * mixed line endings, so a field that has them is edited as JSON.
 */
export function fieldsOf(fit: InputForm, input: unknown): Field[] {
  if (!isInput(input)) return [];
  return TEXTS[fit].flatMap((name) => {
    const text = input[name];
    return typeof text === 'string' && !/\r(?!\n)/.test(text) && !(/\r\n/.test(text) && /(?<!\r)\n/.test(text)) ? [{ name, text }] : [];
  });
}

/** The typed text with the line endings of the original: a text area supports only one kind. */
export function withLineEnds(original: string, typed: string): string {
  return original.includes('\r\n') ? typed.replace(/\r?\n/g, '\r\n') : typed;
}

/** How many characters of a text hide or disguise something. */
export function hiddenCount(text: string): number {
  return visiblePieces(text, { lines: true }).filter((piece) => piece.written && piece.text !== '\\u{d}' && piece.text !== '\\u{5c}').length;
}

/**
 * Pretty-printed JSON in which every character is visible: hidden characters are escaped, which does not
 * change the value.
 */
export function jsonText(value: unknown): string {
  const plain = JSON.stringify(value, null, 2) ?? 'null';
  if (/^[ -~\n]*$/.test(plain)) return plain;
  return visiblePieces(plain, { lines: true })
    .map(({ text, written }) => {
      const code = written ? Number.parseInt(text.slice(3, -1), 16) : undefined;
      if (code === undefined) return text;
      // A backslash that was escaped only because of what follows it.
      if (code === 0x5c) return '\\';
      return [...String.fromCodePoint(code)].flatMap((one) => one.split('')).map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    })
    .join('');
}

/** The value as JSON, independent of the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (isInput(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one)) ?? '';
}

export function isEqual(a: unknown, b: unknown): boolean {
  return canonical(a) === canonical(b);
}

/** Whether the value contains an integer that JavaScript cannot represent exactly. */
export function inexact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(inexact);
}

export interface EditDiff extends LineDiff {
  /** The name of the field; empty for everything that is compared as JSON. */
  name: string;
}

function own(input: Input, name: string): unknown {
  return Object.hasOwn(input, name) ? input[name] : undefined;
}

/** What an edit changes: fields that are strings line by line, everything else as JSON. */
export function editDiffs(before: unknown, after: unknown): EditDiff[] {
  if (!isInput(before) || !isInput(after)) return isEqual(before, after) ? [] : [{ name: '', ...lineDiff(jsonText(before), jsonText(after)) }];
  const found: EditDiff[] = [];
  // A field can have any name, even `__proto__`.
  const rest = { before: Object.create(null) as Input, after: Object.create(null) as Input };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [own(before, name), own(after, name)];
    if (typeof was === 'string' && typeof is === 'string') {
      if (was !== is) found.push({ name, ...lineDiff(was, is) });
      continue;
    }
    if (Object.hasOwn(before, name)) rest.before[name] = was;
    if (Object.hasOwn(after, name)) rest.after[name] = is;
  }
  if (!isEqual(rest.before, rest.after)) found.push({ name: '', ...lineDiff(jsonText(rest.before), jsonText(rest.after)) });
  return found;
}
