// A value from the server: the value, the error if it could not be fetched, and a way to fetch it again.

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

  /** Why the last attempt failed; `undefined` if it did not. The earlier value is kept. */
  get error(): unknown {
    return this.#error;
  }

  set(value: T): void {
    this.#turn += 1;
    this.#value = value;
    this.#error = undefined;
  }

  /** Fetches the value. The response to the latest request wins, in whatever order responses arrive. */
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
