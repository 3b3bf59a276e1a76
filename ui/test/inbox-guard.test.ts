import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Guard } from '../src/inbox/guard.svelte';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());
const guarded = (): Guard => new Guard(() => Date.now());

test('what comes into view can be answered after half a second, not before', () => {
  const guard = guarded();
  guard.show('a');
  expect(guard.inert).toBe(true);
  vi.advanceTimersByTime(499);
  expect([guard.admits(), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(1);
  expect([guard.admits(), guard.inert]).toEqual([true, false]);
});

test('the same again begins nothing; another does', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(500);
  guard.show('a');
  expect(guard.admits()).toBe(true);
  guard.show('b');
  expect([guard.admits(), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(300);
  guard.show('c');
  vi.advanceTimersByTime(300);
  expect([guard.admits(), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(200);
  expect([guard.admits(), guard.inert]).toEqual([true, false]);
});

test('a press that only brings the window to the front answers nothing, however long it is held', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(5000);
  guard.toFront();
  guard.press();
  vi.advanceTimersByTime(1000);
  expect(guard.admitsClick({ detail: 1 })).toBe(false);
  guard.press();
  expect(guard.admitsClick({ detail: 1 })).toBe(true);
});

test('a press that began on what was there before does not answer what is there now', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(500);
  guard.show('b');
  guard.press();
  vi.advanceTimersByTime(600);
  expect(guard.admitsClick({ detail: 1 })).toBe(false);
});

test('a click by keyboard needs no press', () => {
  const guard = guarded();
  guard.show('a');
  guard.press();
  vi.advanceTimersByTime(500);
  expect(guard.admitsClick({ detail: 0 })).toBe(true);
});
