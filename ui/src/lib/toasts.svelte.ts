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
  hint: string | undefined;
  remedy: Remedy | undefined;
}

const STAYS_MS = 6000;
const MOST = 4;

class Toasts {
  #next = 0;
  #list: Toast[] = $state.raw([]);

  get list(): readonly Toast[] {
    return this.#list;
  }

  say(text: string, more: { tone?: Tone; hint?: string | undefined; remedy?: Remedy } = {}): void {
    const toast: Toast = { id: (this.#next += 1), tone: more.tone ?? 'note', text, hint: more.hint, remedy: more.remedy };
    this.#list = [...this.#list, toast].slice(-MOST);
    if (toast.tone !== 'bad') setTimeout(() => this.drop(toast.id), STAYS_MS);
  }

  drop(id: number): void {
    this.#list = this.#list.filter((toast) => toast.id !== id);
  }
}

export const toasts = new Toasts();
