// What one wants to be notified of, between the form and the server: saved shortly after every change.
import { client } from '../lib/client';
import { prefs } from '../lib/prefs.svelte';
import { type NotificationForm, type Notifications, bodyOf, formOf, formError } from './notificationForm';

/** So that times can be typed without saving each digit. */
const PAUSE_MS = 400;

export class NotificationSaver {
  #form: NotificationForm | undefined = $state();
  #state: 'unsaved' | 'saving' | 'saved' | 'failed' | undefined = $state();
  #error: unknown = $state.raw();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  /** The form; nothing until the server has said what it holds. */
  get form(): NotificationForm | undefined {
    return this.#form;
  }

  get state(): 'unsaved' | 'saving' | 'saved' | 'failed' | undefined {
    return this.#state;
  }

  get error(): unknown {
    return this.#error;
  }

  readonly load = async (): Promise<void> => {
    this.#error = undefined;
    try {
      const told = await client.notifications.show();
      this.#form = formOf(told, localTimeZone());
      keep(told);
    } catch (error) {
      this.#error = error;
    }
  };

  change(change: Partial<NotificationForm>): void {
    if (this.#form === undefined) return;
    Object.assign(this.#form, change);
    this.#state = 'unsaved';
    clearTimeout(this.#timer);
    if (formError(this.#form) === undefined) this.#timer = setTimeout(() => void this.save(), PAUSE_MS);
  }

  readonly save = async (): Promise<void> => {
    if (this.#form === undefined || formError(this.#form) !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const turn = (this.#turn += 1);
    this.#state = 'saving';
    this.#error = undefined;
    try {
      keep(await client.notifications.set(bodyOf(this.#form)));
      if (turn === this.#turn && this.#timer === undefined) this.#state = 'saved';
    } catch (error) {
      if (turn !== this.#turn) return;
      this.#error = error;
      this.#state = 'failed';
    }
  };

  /** What was changed last goes out even if nobody waits for it. */
  end(): void {
    if (this.#timer !== undefined) void this.save();
  }
}

/** Whoever announces a question looks here first, and needs no server to be silent. */
function keep({ desktop, sound }: Notifications): void {
  prefs.set({ desktop, sound });
}

/** Where the clock of this device hangs. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
