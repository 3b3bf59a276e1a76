import { expect, test } from 'vitest';
import { writtenPieces } from '../src/lib/escapedText';

test('what was written out is told apart, and nothing is lost', () => {
  expect(writtenPieces('a\\u{202e}b\\u{1b}')).toEqual([
    { text: 'a', written: false },
    { text: '\\u{202e}', written: true },
    { text: 'b', written: false },
    { text: '\\u{1b}', written: true },
  ]);
  expect(writtenPieces('')).toEqual([]);
  const many = '\\u{200b}'.repeat(5000);
  expect(writtenPieces(many, 10)).toHaveLength(11);
  expect(writtenPieces(many, 10).map((piece) => piece.text).join('')).toBe(many);
});
