// Toasts, read out by screen readers. They close by themselves, except errors.

export type Tone = 'good' | 'note' | 'bad';
/** Action offered by a toast. */
export interface Remedy {
  label: string;
  run: () => void;
}
export interface Toast {
  id: number;
  tone: Tone;
  text: string;
  /** An untrusted name that the text is about, shown apart from the page's own words. */
  about: string | undefined;
  hint: string | undefined;
  remedy: Remedy | undefined;
}

/** Long enough to read; toasts with an action stay longer. */
const STAYS_MS = 4000;
const OFFERS_MS = 7000;
const MOST = 4;

class Toasts {
  #next = 0;
  #list: Toast[] = $state.raw([]);

  get list(): readonly Toast[] {
    return this.#list;
  }

  say(text: string, more: { tone?: Tone; about?: string; hint?: string | undefined; remedy?: Remedy } = {}): void {
    const toast: Toast = { id: (this.#next += 1), tone: more.tone ?? 'note', text, about: more.about, hint: more.hint, remedy: more.remedy };
    // A new success toast replaces the previous one, so that they do not pile up.
    const kept = this.#list.filter((other) => other.tone === 'bad' || other.remedy !== undefined);
    this.#list = [...kept, toast].slice(-MOST);
    if (toast.tone !== 'bad') setTimeout(() => this.drop(toast.id), toast.remedy === undefined ? STAYS_MS : OFFERS_MS);
  }

  drop(id: number): void {
    this.#list = this.#list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
