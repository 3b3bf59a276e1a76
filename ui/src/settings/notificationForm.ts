// Notification settings: the contents of the form, its errors, and the request.
import type { Schemas } from '../lib/client';

export type Notifications = Schemas['Notifications'];

export interface NotificationForm {
  desktop: boolean;
  sound: boolean;
  minimumDanger: Schemas['DangerLevel'];
  /** Whether quiet hours are on. The times are kept while they are off. */
  quiet: boolean;
  from: string;
  to: string;
  timeZone: string;
}

const FROM = '22:00';
const TO = '07:00';
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

/** The form for the settings that the server sent. */
export function formOf(told: Notifications, here: string): NotificationForm {
  const { desktop, sound, minimumDanger, quietHours } = told;
  return {
    desktop,
    sound,
    minimumDanger,
    quiet: quietHours !== undefined,
    from: quietHours?.from ?? FROM,
    to: quietHours?.to ?? TO,
    timeZone: quietHours?.timeZone ?? here,
  };
}

export function bodyOf(form: NotificationForm): Notifications {
  const { desktop, sound, minimumDanger, quiet, from, to, timeZone } = form;
  return { desktop, sound, minimumDanger, ...(quiet ? { quietHours: { from, to, timeZone } } : {}) };
}

/** Why a form cannot be saved. */
export function formError(form: NotificationForm): 'time' | 'same' | undefined {
  if (!form.quiet) return undefined;
  if (!TIME.test(form.from) || !TIME.test(form.to)) return 'time';
  return form.from === form.to ? 'same' : undefined;
}

/** The time zones to choose from: those the browser knows, UTC, the browser's own and the one in use. */
export function zones(used: string, here: string, known: readonly string[]): string[] {
  return [...new Set([...known, 'UTC', here, used])].sort();
}

/** What this browser can do about notifications. */
export type BrowserPermission = 'granted' | 'default' | 'denied' | 'insecure' | 'missing';

export function browserPermission(page: { secure: boolean; permission: string | undefined }): BrowserPermission {
  if (!page.secure) return 'insecure';
  if (page.permission === undefined) return 'missing';
  return page.permission === 'granted' || page.permission === 'denied' ? page.permission : 'default';
}
