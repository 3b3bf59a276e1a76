// Quiet hours.
import type { Schemas } from '../lib/client';

const CARE = { none: 0, caution: 1, danger: 2 } as const;

/** Time of day in a zone, in minutes. */
function minutesAt(now: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(now);
  return minutes(parts);
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** Whether a moment is in quiet hours. Hours that end before they begin span midnight. */
export function isQuiet(hours: Schemas['QuietHours'], now: number): boolean {
  let at: number;
  try {
    at = minutesAt(now, hours.timeZone);
  } catch {
    // This browser does not know the zone. Notify rather than miss a question.
    return false;
  }
  const [from, to] = [minutes(hours.from), minutes(hours.to)];
  return from <= to ? at >= from && at < to : at >= from || at < to;
}

/** Whether the settings allow a notification for a question. */
export function disturbs(level: Schemas['DangerLevel'], wanted: Schemas['Notifications'] | undefined, now: number): boolean {
  if (wanted === undefined) return true;
  if (CARE[level] < CARE[wanted.minimumDanger]) return false;
  return wanted.quietHours === undefined || !isQuiet(wanted.quietHours, now);
}
