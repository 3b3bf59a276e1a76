// What went wrong, for people.
import { SekishoError } from '@sekisho/client';
import { t } from '../text';
import { toasts } from './toasts.svelte';

export interface Trouble {
  message: string;
  hint: string | undefined;
  /** The field of the request that is at fault, where it is one. */
  field: string | undefined;
  /** The same may work in a moment. */
  passing: boolean;
  /** The HTTP status; 0 where no answer came, or it is the page's own fault. */
  status: number;
}

/** No answer came; or only one of a proxy that got none. */
const SILENT: ReadonlySet<number> = new Set([0, 502, 504]);

export function troubleOf(error: unknown): Trouble {
  // Browsers have words of their own for this, such as "Failed to fetch", that help nobody.
  if (error instanceof SekishoError && SILENT.has(error.status)) {
    const message = error.code === 'TimedOut' ? t.noAnswer : t.noServer;
    return { message, hint: t.noServerHint, field: undefined, passing: true, status: error.status };
  }
  if (error instanceof SekishoError) {
    return { message: sentence(error.message), hint: error.hint, field: error.field, passing: error.passing, status: error.status };
  }
  return { message: sentence(error instanceof Error ? error.message : String(error)), hint: undefined, field: undefined, passing: false, status: 0 };
}

/** Says it at the edge of the page. */
export function complain(error: unknown): void {
  const { message, hint } = troubleOf(error);
  toasts.say(message, { tone: 'bad', hint });
}

/** Errors are told in small letters and without a full stop. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
