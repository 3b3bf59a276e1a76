// The one rule that is being written. It stays when one looks at another room and comes back: nothing typed is lost.
import { client } from '../lib/client';
import { print } from './conflict';
import type { Effect, Fields } from './draft';
import type { Item } from './listing';

class Editor {
  #began: Item | undefined = $state.raw();
  #open = $state(false);
  #clean = $state('');
  #copied: Item | undefined = $state.raw();
  effect: Effect = $state('allow');
  rule: Fields = $state.raw({});
  valid = $state(true);
  error: unknown = $state.raw();
  saving = $state(false);

  /** A rule is being written. */
  get open(): boolean {
    return this.#open;
  }

  /** The kept rule that is being changed, as it was; none: a new one. */
  get began(): Item | undefined {
    return this.#began;
  }

  /** What the new one is a copy of. */
  get copied(): Item | undefined {
    return this.#copied;
  }

  get dirty(): boolean {
    return this.#open && print(this.effect, this.rule) !== this.#clean;
  }

  start(from: { began?: Item; copied?: Item; effect: Effect; rule: Fields; clean?: boolean }): void {
    this.#began = from.began;
    this.#copied = from.copied;
    this.effect = from.effect;
    this.rule = from.rule;
    // What somebody handed over is worth asking about before it is thrown away; an empty form is not.
    this.#clean = from.clean === false ? '' : print(from.effect, from.rule);
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

  /** Goes on from what the rule has become, leaving out what was typed. */
  take(now: Item): void {
    this.start({ began: now, effect: now.effect, rule: now.rule });
  }

  /** Goes on with what was typed, as a change of what the rule has become; of nothing: as a new one. */
  rebase(now: Item | undefined): void {
    this.#began = now;
    this.#clean = now === undefined ? '' : print(now.effect, now.rule);
    this.error = undefined;
  }

  /** The same rule is known by another id now. */
  follow(now: Item): void {
    this.#began = now;
  }

  /** Keeps it. Gives the rule as it was kept; nothing where it was not. */
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
