// The fields of an input that a person can edit as plain text.
import { visiblePieces } from '../lib/hiddenCharacters';
import { isInput } from './inputJson';

export type InputForm = 'command' | 'diff' | 'url' | 'delegation' | 'json';
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
  delegation: [],
  json: [],
};

/**
 * The fields of an input that can be edited as plain text. A text area would change lone carriage returns and
 * mixed line endings, so a field that has them is edited as JSON.
 */
export function editableFields(fit: InputForm, input: unknown): Field[] {
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
  return visiblePieces(text, { lines: true }).filter((piece) => piece.escaped && piece.text !== '\\u{d}' && piece.text !== '\\u{5c}').length;
}
