import { expect, test } from 'vitest';
import { recordedPieces } from '../src/audit/recordedPieces';
import { escapedPieces } from '../src/lib/escapedPieces';
import { linePieces } from '../src/lib/oneLine';

const shown = (...how: Parameters<typeof linePieces>): string => linePieces(...how).map(({ text, escaped, mark }) => (escaped ? `<${text}>` : mark ? `(${text})` : text)).join('');

test('line breaks and tabs are marks, not blanks', () => {
  expect(shown('ls -la')).toBe('ls -la');
  expect(shown('')).toBe('');
  expect(shown('a\nrm -rf ~\n\n\tb')).toBe('a(⏎)rm -rf ~(⏎)(⏎)(⇥)b');
});

test('a mark in the text itself is escaped', () => {
  expect(shown('echo a⏎b⇥c')).toBe('echo a<\\u{23ce}>b<\\u{21e5}>c');
});

test('hidden characters stay escaped', () => {
  expect(shown('a\r\nb\u202ec')).toBe('a<\\u{d}>(⏎)b<\\u{202e}>c');
  // A line separator is not a line break for a shell.
  expect(shown('a\u2028b')).toBe('a<\\u{2028}>b');
  expect(shown('\\u{a}')).toBe('<\\u{5c}>u{a}');
});

test('text that the server has escaped keeps its escapes', () => {
  expect(shown('a\\u{202e}\nb', escapedPieces)).toBe('a<\\u{202e}>(⏎)b');
  expect(shown('a\\u{202e}\n\tb\u200b', recordedPieces)).toBe('a<\\u{202e}>(⏎)(⇥)b<\\u{200b}>');
});
