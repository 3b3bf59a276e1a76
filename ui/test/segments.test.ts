import { describe, expect, test } from 'vitest';
import type { Schemas } from '../src/lib/client';
import { clipped, placesOf, segments, strictest } from '../src/question/segments';

type Mark = Schemas['MarkedPart'];

function mark(range: [number, number] | undefined, decision: Schemas['Decision'] = 'allow'): Mark {
  return { kind: 'command', text: '', decision, why: '', ...(range === undefined ? {} : { range }) };
}
const told = (text: string, parts: Mark[], most?: number) => segments(text, parts, most).map((one) => [one.text, one.over, one.decision]);

describe('segments', () => {
  test('text outside parts is kept', () => {
    expect(told('ls | wc', [mark([0, 2]), mark([5, 7], 'deny')])).toEqual([
      ['ls', [0], 'allow'],
      [' | ', [], undefined],
      ['wc', [1], 'deny'],
    ]);
  });

  test('no parts or no text', () => {
    expect(told('ls', [])).toEqual([['ls', [], undefined]]);
    expect(told('', [])).toEqual([]);
    expect(told('ls', [mark(undefined)])).toEqual([['ls', [], undefined]]);
  });

  test('nested parts: the inner decision is used, both are listed', () => {
    expect(told('echo $(id) x', [mark([0, 12], 'confirm'), mark([7, 9])])).toEqual([
      ['echo $(', [0], 'confirm'],
      ['id', [0, 1], 'allow'],
      [') x', [0], 'confirm'],
    ]);
  });

  test('a part that runs others has the strictest decision', () => {
    const inner = { ...mark(undefined, 'confirm'), inner: [mark(undefined, 'deny')] };
    expect(told('bash -c x', [{ ...mark([0, 9]), inner: [mark(undefined), inner] }])).toEqual([['bash -c x', [0], 'deny']]);
  });

  test('equal and overlapping ranges', () => {
    expect(told('ab', [mark([0, 2], 'deny'), mark([0, 2])])).toEqual([['ab', [0, 1], 'allow']]);
    expect(told('abcd', [mark([0, 3]), mark([2, 4], 'deny')])).toEqual([
      ['ab', [0], 'allow'],
      ['c', [0, 1], 'deny'],
      ['d', [1], 'deny'],
    ]);
  });

  test('positions are in UTF-8 bytes', () => {
    const text = 'echo "é語😀"; ls';
    const bytes = new TextEncoder().encode(text).length;
    expect(told(text, [mark([0, bytes - 4]), mark([bytes - 2, bytes], 'confirm')])).toEqual([
      ['echo "é語😀"', [0], 'allow'],
      ['; ', [], undefined],
      ['ls', [1], 'confirm'],
    ]);
  });

  test('positions beyond the text or inside a character are clamped', () => {
    expect(placesOf('é', [0, 1, 2, 9])).toEqual(new Map([[0, 0], [1, 0], [2, 1], [9, 1]]));
    expect(told('ls', [mark([0, 99]), mark([50, 60], 'deny'), mark([1, 1], 'deny')])).toEqual([['ls', [0], 'allow']]);
  });

  test('segments always join to the original text', () => {
    let seed = 7;
    const random = (below: number): number => (seed = (seed * 48271) % 2147483647) % below;
    for (let round = 0; round < 200; round += 1) {
      const text = Array.from({ length: random(40) }, () => ['a', 'é', '語', '😀', ' '][random(5)]).join('');
      const parts = Array.from({ length: random(8) }, () => {
        const from = random(60);
        return mark([from, from + random(30)], (['allow', 'confirm', 'deny'] as const)[random(3)]);
      });
      expect(segments(text, parts, 1 + random(6)).map((one) => one.text).join('')).toBe(text);
    }
  });

  test('parts beyond the limit form one segment with the strictest decision', () => {
    const parts = [mark([0, 1]), mark([2, 3]), mark([4, 5], 'deny'), mark([6, 7])];
    expect(segments('a;b;c;d', parts, 2)).toEqual([
      { text: 'a', over: [0], decision: 'allow' },
      { text: ';', over: [], decision: undefined },
      { text: 'b', over: [1], decision: 'allow' },
      { text: ';', over: [], decision: undefined },
      { text: 'c;d', over: [], decision: 'deny', rest: true },
    ]);
  });

  test('megabytes with many parts are split in linear time', () => {
    const text = 'true;'.repeat(300_000);
    const parts = Array.from({ length: 300_000 }, (_, at) => mark([at * 5, at * 5 + 4]));
    expect(segments(text, parts).length).toBeLessThan(2010);
  });
});

describe('clipping segments', () => {
  test('cuts inside a segment, never inside a surrogate pair', () => {
    const all = segments('ab😀cd', [mark([0, 8])]);
    expect(clipped(all, 3)).toEqual({ segments: [{ text: 'ab', over: [0], decision: 'allow' }], whole: false });
    expect(clipped(all, 6).whole).toBe(true);
  });
});

test('strictest of several decisions', () => {
  expect(strictest(['allow', 'deny', 'confirm'])).toBe('deny');
  expect(strictest([])).toBeUndefined();
});
