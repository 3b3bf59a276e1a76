import { expect, test } from 'vitest';
import { escapedPieces } from '../src/lib/escapedPieces';

test('escapes are marked, and no text is lost', () => {
  expect(escapedPieces('a\\u{202e}b\\u{1b}')).toEqual([
    { text: 'a', escaped: false },
    { text: '\\u{202e}', escaped: true },
    { text: 'b', escaped: false },
    { text: '\\u{1b}', escaped: true },
  ]);
  expect(escapedPieces('')).toEqual([]);
  const many = '\\u{200b}'.repeat(5000);
  expect(escapedPieces(many, 10)).toHaveLength(11);
  expect(escapedPieces(many, 10).map((piece) => piece.text).join('')).toBe(many);
});
