// Something from the server: as it is, why it is not there, and how to get it anew.

export class Resource<T> {
  readonly #fetch: () => Promise<T>;
  #value: T | undefined = $state.raw();
  #error: unknown = $state.raw();
  #turn = 0;

  constructor(fetch: () => Promise<T>) {
    this.#fetch = fetch;
  }

  get value(): T | undefined {
    return this.#value;
  }

  /** Why the last try failed; nothing when it did not. What was there before stays. */
  get error(): unknown {
    return this.#error;
  }

  set(value: T): void {
    this.#turn += 1;
    this.#value = value;
    this.#error = undefined;
  }

  /** Fetches it. What was asked for later counts, whatever arrives first. */
  readonly load = async (): Promise<void> => {
    const turn = (this.#turn += 1);
    try {
      const value = await this.#fetch();
      if (turn === this.#turn) this.set(value);
    } catch (error) {
      if (turn === this.#turn) this.#error = error;
    }
  };
}
