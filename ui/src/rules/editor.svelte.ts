// The rule being written. It is kept while other pages are open.
import { client } from '../lib/client';
import { fingerprint } from './conflict';
import type { Effect, Fields } from './draft';
import type { Item } from './listing';

class Editor {
  #began: Item | undefined = $state.raw();
  #open = $state(false);
  #clean = $state('');
  #copied: Item | undefined = $state.raw();
  effect: Effect = $state('confirm');
  rule: Fields = $state.raw({});
  valid = $state(true);
  error: unknown = $state.raw();
  saving = $state(false);

  /** Whether a rule is being written. */
  get open(): boolean {
    return this.#open;
  }

  /** The stored rule that is being edited, as it was at the beginning; `undefined` for a new rule. */
  get began(): Item | undefined {
    return this.#began;
  }

  /** The rule that the new one is a copy of. */
  get copied(): Item | undefined {
    return this.#copied;
  }

  get dirty(): boolean {
    return this.#open && fingerprint(this.effect, this.rule) !== this.#clean;
  }

  start(from: { began?: Item; copied?: Item; effect: Effect; rule: Fields; clean?: boolean }): void {
    this.#began = from.began;
    this.#copied = from.copied;
    this.effect = from.effect;
    this.rule = from.rule;
    // A rule from a link is discarded only after a confirmation; an empty form needs none.
    this.#clean = from.clean === false ? '' : fingerprint(from.effect, from.rule);
    this.error = undefined;
    this.valid = true;
    this.#open = true;
  }

  close(): void {
    this.#open = false;
    this.#began = undefined;
    this.#copied = undefined;
    this.error = undefined;
  }

  /** Continues with the rule as it is now, and discards what was typed. */
  take(now: Item): void {
    this.start({ began: now, effect: now.effect, rule: now.rule });
  }

  /** Keeps what was typed, as an edit of the rule as it is now; without one, as a new rule. */
  rebase(now: Item | undefined): void {
    this.#began = now;
    this.#clean = now === undefined ? '' : fingerprint(now.effect, now.rule);
    this.error = undefined;
  }

  /** The same rule now has a different id. */
  follow(now: Item): void {
    this.#began = now;
  }

  /** Saves the rule. Returns it as it was stored; `undefined` if it was not. */
  async save(): Promise<Item | undefined> {
    if (this.saving) return undefined;
    this.saving = true;
    this.error = undefined;
    try {
      const body = { effect: this.effect, ...this.rule };
      const kept = this.#began === undefined ? await client.rules.add(body) : await client.rules.replace(this.#began.id, body);
      this.close();
      return kept;
    } catch (error) {
      this.error = error;
      return undefined;
    } finally {
      this.saving = false;
    }
  }
}

export const editor = new Editor();
