// Groups the hours of the server's statistics into hours, days or weeks of the local time zone.
import type { Schemas } from '../lib/client';

export type Step = 'hour' | 'day' | 'week';

export interface Bucket {
  at: number;
  allowed: number;
  asked: number;
  denied: number;
  approved: number;
  rejected: number;
  /** Median time to answer in milliseconds; undefined if nobody answered. */
  p50: number | undefined;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Maximum number of steps in a plot. */
const MOST_HOURS = 48;
const MOST_DAYS = 100;

/** Step size for a time range. */
export function stepFor(from: number, to: number): Step {
  if (to - from <= MOST_HOURS * HOUR) return 'hour';
  return to - from <= MOST_DAYS * DAY ? 'day' : 'week';
}

function begin(at: number, step: Step): number {
  // The server counts by full hours of UTC.
  if (step === 'hour') return Math.floor(at / HOUR) * HOUR;
  const date = new Date(at);
  date.setHours(0, 0, 0, 0);
  if (step === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7));
  return date.getTime();
}

function after(at: number, step: Step): number {
  if (step === 'hour') return at + HOUR;
  // Days differ in length.
  const date = new Date(at);
  date.setDate(date.getDate() + (step === 'day' ? 1 : 7));
  return date.getTime();
}

/** All steps of a range, empty ones included. */
export function bucketize(hours: readonly Schemas['Hour'][], from: number, to: number, step: Step): Bucket[] {
  const buckets: Bucket[] = [];
  for (let at = begin(from, step); at < to; at = after(at, step)) {
    buckets.push({ at, allowed: 0, asked: 0, denied: 0, approved: 0, rejected: 0, p50: undefined });
  }
  const waits = buckets.map((): WeightedValue[] => []);
  for (const hour of hours) {
    const at = Date.parse(hour.at);
    const index = Math.max(0, buckets.findLastIndex((bucket) => bucket.at <= at));
    const bucket = buckets[index];
    if (bucket === undefined) continue;
    bucket.allowed += hour.allowed;
    bucket.asked += hour.asked;
    bucket.denied += hour.denied;
    bucket.approved += hour.approved;
    bucket.rejected += hour.rejected;
    if (hour.answerP50Ms !== undefined) waits[index]!.push({ value: hour.answerP50Ms, weight: hour.approved + hour.rejected });
  }
  for (const [index, bucket] of buckets.entries()) bucket.p50 = weightedMedian(waits[index]!);
  return buckets;
}

export interface WeightedValue {
  value: number;
  weight: number;
}

/** Median of weighted values. */
export function weightedMedian(values: WeightedValue[]): number | undefined {
  const sorted = values.filter(({ weight }) => weight > 0).sort((a, b) => a.value - b.value);
  const half = sorted.reduce((sum, { weight }) => sum + weight, 0) / 2;
  let seen = 0;
  return sorted.find(({ weight }) => (seen += weight) >= half)?.value;
}

/** Share of approvals from 0 to 1; undefined without answers. */
export function share(yes: number, no: number): number | undefined {
  return yes + no === 0 ? undefined : yes / (yes + no);
}

export interface Totals {
  allowed: number;
  asked: number;
  denied: number;
}

export function totals(buckets: readonly Totals[]): Totals {
  const sum = (name: keyof Totals): number => buckets.reduce((total, bucket) => total + bucket[name], 0);
  return { allowed: sum('allowed'), asked: sum('asked'), denied: sum('denied') };
}
