import { describe, expect, test } from 'vitest';
import { visiblePieces, visible } from '../src/lib/hiddenCharacters';

describe('untrusted text', () => {
  test.each([
    ['plain ascii', 'plain ascii'],
    ['日本語 ünïcödé', '日本語 ünïcödé'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['\u001b[31mred', '\\u{1b}[31mred'],
    ['a\u200bb', 'a\\u{200b}b'],
    ['a\u00a0b', 'a\\u{a0}b'],
    ['\u3164', '\\u{3164}'],
    ['a\nb\tc', 'a\\u{a}b\\u{9}c'],
    ['\u{e0041}', '\\u{e0041}'],
    // What only looks as if it had been written out.
    ['\\u{202e}', '\\u{5c}u{202e}'],
    ['e\u0301', 'e\u0301'],
    ['\u0301e', '\\u{301}e'],
    ['a' + '\u0301'.repeat(6), 'a' + '\u0301'.repeat(4) + '\\u{301}\\u{301}'],
  ])('%j is shown as %j', (text, shown) => expect(visible(text)).toBe(shown));

  test('line breaks are kept on request', () => {
    expect(visiblePieces('a\n\tb\r', { lines: true })).toEqual([
      { text: 'a\n\tb', escaped: false },
      { text: '\\u{d}', escaped: true },
    ]);
  });
});
