// Errors as texts for users.
import { SekishoError } from '@sekisho/client';
import { t } from '../text';
import { toasts } from './toasts.svelte';

export interface ErrorText {
  message: string;
  hint: string | undefined;
  /** Field of the request that is wrong, if any. */
  field: string | undefined;
  /** A retry may succeed. */
  transient: boolean;
  /** HTTP status; 0 without a response or for an error of the page. */
  status: number;
}

/** No response, or one of a proxy that got none. */
const SILENT: ReadonlySet<number> = new Set([0, 502, 504]);

export function errorText(error: unknown): ErrorText {
  // Browsers' own messages, such as "Failed to fetch", do not help users.
  if (error instanceof SekishoError && SILENT.has(error.status)) {
    const message = error.code === 'TimedOut' ? t.noAnswer : t.noServer;
    return { message, hint: t.noServerHint, field: undefined, transient: true, status: error.status };
  }
  if (error instanceof SekishoError) {
    return { message: sentence(error.message), hint: error.hint, field: error.field, transient: error.passing, status: error.status };
  }
  return { message: sentence(error instanceof Error ? error.message : String(error)), hint: undefined, field: undefined, transient: false, status: 0 };
}

/** Shows an error as a toast. */
export function toastError(error: unknown): void {
  const { message, hint } = errorText(error);
  toasts.say(message, { tone: 'bad', hint });
}

/** Server messages are lower case without a full stop; this makes a sentence. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
