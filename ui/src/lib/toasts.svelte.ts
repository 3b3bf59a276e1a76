// Short notes at the edge of the page, read out by screen readers. They go by themselves, except those that are errors.

export type Tone = 'good' | 'note' | 'bad';
/** What can be done about it. */
export interface Remedy {
  label: string;
  run: () => void;
}
export interface Toast {
  id: number;
  tone: Tone;
  text: string;
  /** A name that somebody else chose, which the text is about: it is never in the page's own words. */
  about: string | undefined;
  hint: string | undefined;
  remedy: Remedy | undefined;
}

/** Long enough to read; what can be acted upon stays longer. */
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
    // What only told that something is done makes room for what is done next: notes must not pile up over what is read.
    const kept = this.#list.filter((other) => other.tone === 'bad' || other.remedy !== undefined);
    this.#list = [...kept, toast].slice(-MOST);
    if (toast.tone !== 'bad') setTimeout(() => this.drop(toast.id), toast.remedy === undefined ? STAYS_MS : OFFERS_MS);
  }

  drop(id: number): void {
    this.#list = this.#list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
