import { expect, test } from 'vitest';
import { ViewedSpans } from '../src/question/viewedSpans';

/** Something so tall, of which these stretches were in view. */
function seen(height: number, ...stretches: [number, number][]): ViewedSpans {
  const found = new ViewedSpans();
  found.lay(300, height);
  for (const [from, to] of stretches) found.add({ from, to });
  return found;
}

test('what lies between the beginning and the end has to be seen as well', () => {
  const jumped = seen(1000, [0, 300], [700, 1000]);
  jumped.close();
  expect([jumped.gap, jumped.whole]).toEqual([300, false]);
  jumped.add({ from: 290, to: 600 });
  expect(jumped.gap).toBe(600);
  jumped.add({ from: 590, to: 710 });
  jumped.close();
  expect([jumped.gap, jumped.whole]).toEqual([undefined, true]);
});

test('in whatever order it was seen, and less than a line is nothing', () => {
  expect(seen(900, [600, 897], [295, 605], [3, 290]).gap).toBeUndefined();
  expect(seen(900, [0, 300], [320, 900]).gap).toBe(300);
  expect(seen(900, [20, 900]).gap).toBe(0);
  expect(seen(900).gap).toBe(0);
});

test('what comes at the end is unseen, and what was seen before stays so', () => {
  const grown = seen(400, [0, 400]);
  grown.lay(300, 1400);
  expect(grown.gap).toBe(400);
});

test('what is laid out anew is looked at anew, unless all of it was seen', () => {
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
