// When not to disturb anybody.
import type { Schemas } from '../lib/client';

const CARE = { none: 0, caution: 1, danger: 2 } as const;

/** The time of the day somewhere, in minutes. */
function minutesAt(now: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone }).format(now);
  return minutes(parts);
}

function minutes(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** Whether a moment is within quiet hours. Hours that end before they begin go over midnight. */
export function isQuiet(hours: Schemas['QuietHours'], now: number): boolean {
  let at: number;
  try {
    at = minutesAt(now, hours.timeZone);
  } catch {
    // A zone this browser does not know. Better one sound too many than a question nobody hears of.
    return false;
  }
  const [from, to] = [minutes(hours.from), minutes(hours.to)];
  return from <= to ? at >= from && at < to : at >= from || at < to;
}

/** Whether a question is worth a disturbance, to somebody who said what they want. */
export function disturbs(level: Schemas['DangerLevel'], wanted: Schemas['Notifications'] | undefined, now: number): boolean {
  if (wanted === undefined) return true;
  if (CARE[level] < CARE[wanted.minimumDanger]) return false;
  return wanted.quietHours === undefined || !isQuiet(wanted.quietHours, now);
}
