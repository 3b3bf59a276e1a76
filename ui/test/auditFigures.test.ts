import { expect, test } from 'vitest';
import { bucketize, weightedMedian, share, stepFor, totals } from '../src/audit/buckets';
import { geometry, spaced, stepped, stretches, ticks, timeTicks, under } from '../src/audit/plots/scale';
import { fileName } from '../src/audit/download';
import { callTestHref, callOf } from '../src/audit/suggestionLink';

const HOUR = 3_600_000;
const hour = (at: number, more: object = {}) => ({ at: new Date(at).toISOString(), allowed: 1, asked: 2, denied: 3, approved: 0, rejected: 0, ...more });

test('step size of a range', () => {
  expect([1, 48, 49, 24 * 100, 24 * 101].map((hours) => stepFor(0, hours * HOUR))).toEqual(['hour', 'hour', 'day', 'day', 'week']);
});

test('every hour of a range has a bucket, even if empty', () => {
  const to = Date.parse('2026-11-15T12:30:00Z');
  const buckets = bucketize([hour(to - 90 * 60_000, { answerP50Ms: 700, approved: 1 })], to - 3 * HOUR, to, 'hour');
  expect(buckets.map(({ at }) => new Date(at).toISOString().slice(11, 16))).toEqual(['09:00', '10:00', '11:00', '12:00']);
  expect(buckets.map(({ asked }) => asked)).toEqual([0, 0, 2, 0]);
  expect(buckets.map(({ p50 }) => p50)).toEqual([undefined, undefined, 700, undefined]);
});

test('days are in the local time zone', () => {
  const midnight = new Date(2026, 10, 15).getTime();
  const buckets = bucketize([hour(midnight - HOUR), hour(midnight), hour(midnight + 5 * HOUR)], midnight - 2 * 24 * HOUR, midnight + 6 * HOUR, 'day');
  expect(buckets.map(({ at, denied }) => [new Date(at).getDate(), denied])).toEqual([[13, 0], [14, 3], [15, 6]]);
  expect(totals(buckets)).toEqual({ allowed: 3, asked: 6, denied: 9 });
});

test('weeks begin on Monday', () => {
  const buckets = bucketize([], new Date(2026, 10, 15).getTime(), new Date(2026, 10, 17).getTime(), 'week');
  expect(buckets.map(({ at }) => new Date(at).getDate())).toEqual([9, 16]);
});

test('the median is weighted', () => {
  expect(weightedMedian([])).toBeUndefined();
  expect(weightedMedian([{ value: 9, weight: 0 }])).toBeUndefined();
  expect(weightedMedian([{ value: 100, weight: 1 }, { value: 5, weight: 1 }])).toBe(5);
  expect(weightedMedian([{ value: 5, weight: 1 }, { value: 100, weight: 5 }])).toBe(100);
  expect([share(0, 0), share(3, 1)]).toEqual([undefined, 0.75]);
});

test('axis ticks are round numbers', () => {
  expect(ticks(0)).toEqual([0, 1]);
  expect(ticks(1)).toEqual([0, 1]);
  expect(ticks(3)).toEqual([0, 1, 2, 3]);
  expect(ticks(7)).toEqual([0, 2, 4, 6, 8]);
  expect(ticks(100)).toEqual([0, 50, 100]);
  expect(ticks(1234).at(-1)).toBe(1500);
  expect(timeTicks(3400)).toEqual([0, 1000, 2000, 3000, 4000]);
  expect(timeTicks(90_000)).toEqual([0, 30_000, 60_000, 90_000]);
  expect(timeTicks(1e10).length).toBeLessThan(7);
  for (const max of [1, 7, 99, 4096, 1e6]) {
    expect(ticks(max).at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks(max).length).toBeLessThan(7);
    expect(timeTicks(max).at(-1)).toBeGreaterThanOrEqual(max);
  }
});

test('labels fit, and the last one is included', () => {
  expect([...spaced(24, 480, 40)].sort((a, b) => a - b)).toEqual([1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23]);
  expect([...spaced(3, 0, 40)]).toEqual([2]);
});

test('positions and hit testing', () => {
  const g = geometry({ width: 248, height: 130, gutter: 40, count: 10, top: 10, at: undefined });
  expect([g.band, g.left(0), g.left(9), g.base, g.y(0), g.y(10)]).toEqual([20, 40, 220, 108, 108, 8]);
  expect([0, 40, 59, 60, 500].map((x) => under(x, 40, g.band, 10))).toEqual([0, 0, 0, 1, 9]);
});

test('arrow keys move by steps and stop at the ends', () => {
  expect(stepped('ArrowLeft', 10, 10)).toBe(9);
  expect(stepped('ArrowRight', 9, 10)).toBe(9);
  expect([stepped('Home', 5, 10), stepped('End', 5, 10), stepped('x', 5, 10)]).toEqual([0, 9, undefined]);
});

test('a line is interrupted at missing values', () => {
  expect(stretches([1, 2, undefined, 3], (index, value) => [index, value])).toEqual(['M0.0 1.0L1.0 2.0', 'M3.0 3.0']);
});

test('file name of an export', () => {
  expect(fileName('csv', Date.parse('2026-11-15T14:53:46.464Z'))).toBe('sekisho-audit-20261115T145346Z.csv');
});

test('a suggestion links to the call test with its example call', () => {
  const rule = { tool: 'bash', commandGlob: 'git push' };
  const question = { id: 'x', toolName: 'Bash', input: { command: 'git push' }, cwd: '/w', agentId: 'a', digest: 'd' } as never;
  const query = new URL(callTestHref('allow', rule, callOf(question)), 'http://x').searchParams;
  expect(JSON.parse(query.get('draft')!)).toEqual({ effect: 'allow', rule });
  expect(JSON.parse(query.get('call')!)).toEqual({ toolName: 'Bash', input: { command: 'git push' }, cwd: '/w', agentId: 'a' });
  const long = callTestHref('deny', rule, { toolName: 'Bash', input: 'x'.repeat(10_000) });
  expect(new URL(long, 'http://x').searchParams.has('call')).toBe(false);
});
