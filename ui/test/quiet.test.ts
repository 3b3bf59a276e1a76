import { expect, test } from 'vitest';
import { disturbs, isQuiet } from '../src/inbox/quiet';

const at = (time: string): number => Date.parse(`2026-01-15T${time}:00Z`);

test.each([
  ['22:00', '07:00', 'UTC', '23:30', true],
  ['22:00', '07:00', 'UTC', '06:59', true],
  ['22:00', '07:00', 'UTC', '07:00', false],
  ['22:00', '07:00', 'UTC', '12:00', false],
  ['12:00', '13:00', 'UTC', '12:30', true],
  ['12:00', '13:00', 'UTC', '13:00', false],
  ['22:00', '07:00', 'Asia/Tokyo', '13:30', true],
  ['00:00', '01:00', 'UTC', '00:10', true],
  ['22:00', '07:00', 'No/Where', '23:30', false],
])('%s to %s in %s, at %s UTC: %s', (from, to, timeZone, now, quiet) => {
  expect(isQuiet({ from, to, timeZone }, at(now))).toBe(quiet);
});

test('notifies only above the danger threshold and outside quiet hours', () => {
  const wanted = { desktop: true, sound: false, minimumDanger: 'caution', quietHours: { from: '22:00', to: '07:00', timeZone: 'UTC' } } as const;
  expect(disturbs('none', wanted, at('12:00'))).toBe(false);
  expect(disturbs('caution', wanted, at('12:00'))).toBe(true);
  expect(disturbs('danger', wanted, at('23:00'))).toBe(false);
  expect(disturbs('none', undefined, at('23:00'))).toBe(true);
});
