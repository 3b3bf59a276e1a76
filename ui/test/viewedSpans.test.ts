import { expect, test } from 'vitest';
import { ViewedSpans } from '../src/question/viewedSpans';

/** A box of this height, of which these spans have been in view. */
function seen(height: number, ...spans: [number, number][]): ViewedSpans {
  const found = new ViewedSpans();
  found.lay(300, height);
  for (const [from, to] of spans) found.add({ from, to });
  return found;
}

test('the middle must be seen too', () => {
  const jumped = seen(1000, [0, 300], [700, 1000]);
  jumped.close();
  expect([jumped.gap, jumped.whole]).toEqual([300, false]);
  jumped.add({ from: 290, to: 600 });
  expect(jumped.gap).toBe(600);
  jumped.add({ from: 590, to: 710 });
  jumped.close();
  expect([jumped.gap, jumped.whole]).toEqual([undefined, true]);
});

test('order does not matter, and gaps below a line height are ignored', () => {
  expect(seen(900, [600, 897], [295, 605], [3, 290]).gap).toBeUndefined();
  expect(seen(900, [0, 300], [320, 900]).gap).toBe(300);
  expect(seen(900, [20, 900]).gap).toBe(0);
  expect(seen(900).gap).toBe(0);
});

test('appended text is unseen, and earlier text stays seen', () => {
  const grown = seen(400, [0, 400]);
  grown.lay(300, 1400);
  expect(grown.gap).toBe(400);
});

test('a new layout must be seen again, unless all was seen', () => {
  const narrower = seen(400, [0, 300]);
  narrower.lay(200, 600);
  expect(narrower.gap).toBe(0);
  const folded = seen(400, [0, 300]);
  folded.lay(300, 350);
  expect(folded.gap).toBe(0);
  const whole = seen(400, [0, 400]);
  whole.close();
  whole.lay(200, 600);
  expect(whole.whole).toBe(true);
});
