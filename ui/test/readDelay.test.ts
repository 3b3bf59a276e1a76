import { expect, test } from 'vitest';
import { PAUSE_MS, ReadDelay } from '../src/settings/readDelay';

const click = (timeStamp: number) => ({ timeStamp, detail: 1 });
const key = (timeStamp: number) => ({ timeStamp, detail: 0 });

test('clicks are ignored before the text is drawn and shortly after', () => {
  const pause = new ReadDelay();
  pause.press(10);
  expect([pause.admits(click(20)), pause.admits(key(1e9))]).toEqual([false, false]);
  pause.begin(1000);
  pause.press(1000 + PAUSE_MS - 1);
  expect([pause.admits(click(1000 + PAUSE_MS + 50)), pause.admits(key(1000 + PAUSE_MS - 1))]).toEqual([false, false]);
  expect(pause.admits(key(1000 + PAUSE_MS))).toBe(true);
  pause.press(1000 + PAUSE_MS);
  expect(pause.admits(click(1000 + PAUSE_MS + 50))).toBe(true);
});

test('a delayed event is judged by its own time', () => {
  const pause = new ReadDelay();
  pause.begin(1000);
  pause.press(1200);
  // Handled late, after the page was busy; pressed early.
  expect(pause.admits(click(1250))).toBe(false);
});
