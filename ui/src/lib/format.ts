// Formats times and numbers.
import { i18n } from './i18n.svelte';

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** "3 minutes ago". */
export function ago(at: string | number, now: number): string {
  const difference = new Date(at).getTime() - now;
  const format = new Intl.RelativeTimeFormat(i18n.locale, { numeric: 'auto' });
  const [unit, ms] = UNITS.find(([, ms]) => Math.abs(difference) >= ms) ?? ['second', 1000];
  return format.format(Math.round(difference / ms), unit);
}

/** "now", "40 s", "3 min", "2 h" or "5 d": an age where there is little room. */
export function age(ms: number): string {
  const unit = SHORT[i18n.locale];
  if (ms < 5000) return unit.now;
  if (ms < 60_000) return `${Math.floor(ms / 1000)} ${unit.s}`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} ${unit.min}`;
  return ms < 86_400_000 ? `${Math.floor(ms / 3_600_000)} ${unit.h}` : `${Math.floor(ms / 86_400_000)} ${unit.d}`;
}

/** A moment in full. */
export function moment(at: string | number): string {
  return new Intl.DateTimeFormat(i18n.region, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}

/** The time of day, to the second. */
export function timeOfDay(at: string | number): string {
  return new Intl.DateTimeFormat(i18n.region, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(new Date(at));
}

const SHORT = {
  en: { now: 'now', ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' },
  ja: { now: '今', ms: 'ミリ秒', s: '秒', min: '分', h: '時間', d: '日' },
} as const;

/** "1:59", or "2 h 5 min" where it is longer, or "24 h" where minutes do not matter. */
export function countdown(ms: number): string {
  const unit = SHORT[i18n.locale];
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}:${String(seconds % 60).padStart(2, '0')}`;
  if (minutes >= 600) return `${Math.round(minutes / 60)} ${unit.h}`;
  return `${Math.floor(minutes / 60)} ${unit.h} ${minutes % 60} ${unit.min}`;
}

/** "250 ms", "4.2 s", "3 min", "2 h". */
export function duration(ms: number): string {
  const unit = SHORT[i18n.locale];
  if (ms < 1000) return `${Math.round(ms)} ${unit.ms}`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} ${unit.s}`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} ${unit.min}`;
  return `${Math.round(ms / 3_600_000)} ${unit.h}`;
}

/** Making a format takes many times as long as using it. */
const NUMBERS = new Map<string, Intl.NumberFormat>();

export function number(value: number): string {
  const { region } = i18n;
  let format = NUMBERS.get(region);
  if (format === undefined) NUMBERS.set(region, (format = new Intl.NumberFormat(region)));
  return format.format(value);
}
