// Headings of days.
import { i18n } from '../lib/i18n.svelte';
import { t } from './text';

/** "Today, Sunday 15 November 2026". `at` is the start of the day in local time. */
export function dayName(at: number): string {
  const today = new Date().setHours(0, 0, 0, 0);
  const full = new Intl.DateTimeFormat(i18n.region, { dateStyle: 'full' }).format(at);
  if (at === today) return t.today(full);
  return at === new Date(today).setDate(new Date(today).getDate() - 1) ? t.yesterday(full) : full;
}
