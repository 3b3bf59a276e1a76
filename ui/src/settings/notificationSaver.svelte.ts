// Saves the notification settings shortly after every change of the form.
import { client } from '../lib/client';
import { prefs } from '../lib/prefs.svelte';
import { type NotificationForm, type Notifications, bodyOf, formOf, formError } from './notificationForm';

/** The wait before saving, so that times can be typed without saving each digit. */
const PAUSE_MS = 400;

export class NotificationSaver {
  #form: NotificationForm | undefined = $state();
  #state: 'unsaved' | 'saving' | 'saved' | 'failed' | undefined = $state();
  #error: unknown = $state.raw();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;

  /** The form; `undefined` until the server has sent the settings. */
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

  /** Saves the last change at once, even if nobody waits for the result. */
  end(): void {
    if (this.#timer !== undefined) void this.save();
  }
}

/** Keeps a copy in this browser, where it is looked up before a question is announced. */
function keep({ desktop, sound }: Notifications): void {
  prefs.set({ desktop, sound });
}

/** The time zone of this device. */
export function localTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
