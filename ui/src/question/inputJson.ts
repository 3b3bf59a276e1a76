// The input of a call as JSON: printed, compared, and whether JavaScript can hold it exactly.
import { visiblePieces } from '../lib/hiddenCharacters';

export type Input = Record<string, unknown>;

export function isInput(value: unknown): value is Input {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Pretty-printed JSON in which every character is visible: hidden characters are escaped, which does not
 * change the value.
 */
export function jsonText(value: unknown): string {
  const plain = JSON.stringify(value, null, 2) ?? 'null';
  if (/^[ -~\n]*$/.test(plain)) return plain;
  return visiblePieces(plain, { lines: true })
    .map(({ text, escaped }) => {
      const code = escaped ? Number.parseInt(text.slice(3, -1), 16) : undefined;
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
