// Questions selected for a bulk answer.

export class Selection {
  #ids: ReadonlySet<string> = $state.raw(new Set());
  #anchor: string | undefined;

  /** Selected ids, open or not. */
  get ids(): ReadonlySet<string> {
    return this.#ids;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** Toggles one; `range` also selects everything from the last toggled one to it. */
  toggle(id: string, shown: readonly string[], range = false): void {
    const ids = new Set(this.#ids);
    const on = !ids.has(id);
    for (const each of range ? this.#upTo(id, shown) : [id]) {
      if (on) ids.add(each);
      else ids.delete(each);
    }
    this.#anchor = id;
    this.#ids = ids;
  }

  #upTo(id: string, shown: readonly string[]): readonly string[] {
    const from = this.#anchor === undefined ? -1 : shown.indexOf(this.#anchor);
    const to = shown.indexOf(id);
    if (from === -1 || to === -1) return [id];
    return shown.slice(Math.min(from, to), Math.max(from, to) + 1);
  }

  /** Selects all shown questions, or deselects them if all are selected. */
  toggleAll(shown: readonly string[]): void {
    const all = shown.length > 0 && shown.every((id) => this.#ids.has(id));
    const ids = new Set(this.#ids);
    for (const id of shown) {
      if (all) ids.delete(id);
      else ids.add(id);
    }
    this.#ids = ids;
  }

  /** Drops questions that are no longer open. */
  keep(open: (id: string) => boolean): void {
    const kept = [...this.#ids].filter(open);
    if (kept.length !== this.#ids.size) this.#ids = new Set(kept);
  }

  clear(): void {
    this.#anchor = undefined;
    this.#ids = new Set();
  }
}
