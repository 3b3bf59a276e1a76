// Labels of time steps and shares.
import { i18n } from '../lib/i18n.svelte';
import { duration } from '../lib/format';
import type { Step } from './buckets';
import { p } from './figuresText';

const SHORT: Record<Step, Intl.DateTimeFormatOptions> = {
  hour: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short' },
};
const LONG: Record<Step, Intl.DateTimeFormatOptions> = {
  hour: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  week: { day: 'numeric', month: 'short', year: 'numeric' },
};

/** Short form for an axis: "15 Nov", "11/15". */
export function stepName(at: number, step: Step): string {
  const how = i18n.locale === 'ja' && step !== 'hour' ? ({ day: 'numeric', month: 'numeric' } as const) : SHORT[step];
  return new Intl.DateTimeFormat(i18n.region, how).format(at);
}

/** Long form for sentences and tables. */
export function stepTitle(at: number, step: Step): string {
  const said = new Intl.DateTimeFormat(i18n.region, LONG[step]).format(at);
  return step === 'week' ? p.week(said) : said;
}

/** "87%". Rounds to 0% and 100% only if exact. */
export function percent(share: number): string {
  const hundredths = share >= 1 || share <= 0 ? share * 100 : Math.min(99, Math.max(1, Math.round(share * 100)));
  return `${hundredths}%`;
}

/** A time on an axis: "2 s", "0". */
export function axisTime(ms: number): string {
  return ms === 0 ? '0' : duration(ms).replace('.0 ', ' ');
}

/** The bounds of a bucket of answers: "2 s", "over 1 h". */
export function boundName(upTo: number | undefined, before: number | undefined): string {
  return upTo === undefined ? `> ${axisTime(before ?? 0)}` : axisTime(upTo);
}

export function boundTitle(upTo: number | undefined, before: number | undefined): string {
  return upTo === undefined ? p.over(axisTime(before ?? 0)) : p.upTo(axisTime(upTo));
}
