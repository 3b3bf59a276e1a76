import { expect, test } from 'vitest';
import { hasRightToLeft } from '../src/question/rightToLeft';

test('only right-to-left letters are detected', () => {
  for (const text of ['cat א > ב', 'ls سلام', 'ހ', 'ߊ', '\u{1e900}', '\u{10900}', 'ﬡ', 'ﻼ']) expect(hasRightToLeft('plain', undefined, text)).toBe(true);
  for (const text of ['', 'cat a > b', '関所 ｶﾅ', 'Ωmega', 'кот', 'हिन्दी', '😀', '\ufeff']) expect(hasRightToLeft(text, undefined)).toBe(false);
});
