import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ARRIVE_MS, InputGuard, SETTLE_MS, TYPING_MS } from '../src/inbox/inputGuard.svelte';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const now = (): { timeStamp: number } => ({ timeStamp: Date.now() });
const click = (detail = 1): { detail: number; timeStamp: number } => ({ detail, ...now() });
const key = (repeat = false): { repeat: boolean; timeStamp: number } => ({ repeat, ...now() });
/** One that is painted at once. */
const guarded = (): InputGuard => new InputGuard(() => Date.now(), (then) => then());

test('a question can be answered after half a second in view', () => {
  const guard = guarded();
  guard.show('a');
  expect(guard.inert).toBe(true);
  vi.advanceTimersByTime(SETTLE_MS - 1);
  expect([guard.admits(now()), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(1);
  expect([guard.admits(now()), guard.inert]).toEqual([true, false]);
});

test('the half second starts when the question is painted', () => {
  let painted = (): void => undefined;
  const guard = new InputGuard(() => Date.now(), (then) => (painted = then));
  guard.show('a');
  vi.advanceTimersByTime(5000);
  expect([guard.admits(now()), guard.inert]).toEqual([false, true]);
  painted();
  vi.advanceTimersByTime(SETTLE_MS - 1);
  expect(guard.admits(now())).toBe(false);
  vi.advanceTimersByTime(1);
  expect([guard.admits(now()), guard.inert]).toEqual([true, false]);
});

test('a press is judged by its own time, even if handled late', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(1000);
  const early = { press: now(), click: click(), key: key() };
  guard.show('b');
  vi.advanceTimersByTime(5000);
  expect(guard.admitsKey(early.key)).toBe(false);
  guard.press(early.press);
  expect(guard.admitsClick(early.click)).toBe(false);
  // The click a key makes has the time of its making; its key has not.
  guard.key(early.key);
  expect(guard.admitsClick(click(0))).toBe(false);
  expect(guard.admitsClick(click(0))).toBe(true);
});

test('the delay restarts for another question and on return, not for the same question', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(500);
  guard.show('a');
  expect(guard.admits(now())).toBe(true);
  guard.show('b');
  expect([guard.admits(now()), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(300);
  guard.show('c');
  vi.advanceTimersByTime(300);
  expect([guard.admits(now()), guard.inert]).toEqual([false, true]);
  vi.advanceTimersByTime(200);
  expect([guard.admits(now()), guard.inert]).toEqual([true, false]);
  guard.show(undefined);
  vi.advanceTimersByTime(5000);
  guard.show('c');
  expect(guard.admits(now())).toBe(false);
});

test('a press that focuses the window does not answer, however long it is held', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(5000);
  guard.toFront();
  guard.press(now());
  vi.advanceTimersByTime(ARRIVE_MS + 300);
  expect(guard.admitsClick(click())).toBe(false);
  guard.press(now());
  expect(guard.admitsClick(click())).toBe(true);
});

test('a press that began on the previous question does not answer the new one', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(500);
  guard.show('b');
  guard.press(now());
  vi.advanceTimersByTime(600);
  expect(guard.admitsClick(click())).toBe(false);
});

test('a held key or fast typing does not answer', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(5000);
  guard.key(key(true));
  expect(guard.admitsClick(click(0))).toBe(false);
  vi.advanceTimersByTime(TYPING_MS - 1);
  guard.key(key());
  expect(guard.admitsKey(now())).toBe(false);
  vi.advanceTimersByTime(TYPING_MS);
  guard.key(key());
  expect(guard.admitsKey(now())).toBe(true);
});

test('a panel opened by a pointer ignores pointers for half a second, but not keys', () => {
  const guard = guarded();
  guard.show('a');
  vi.advanceTimersByTime(500);
  guard.settle('pointer');
  expect([guard.admits(now()), guard.inert, guard.admitsClick(click(0))]).toEqual([true, true, true]);
  guard.press(now());
  expect(guard.admitsClick(click())).toBe(false);
  vi.advanceTimersByTime(500);
  guard.press(now());
  expect([guard.inert, guard.admitsClick(click())]).toEqual([false, true]);
});
