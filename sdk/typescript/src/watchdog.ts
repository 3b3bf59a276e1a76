/** Fires when no data arrives for a while. */
export class Watchdog {
  readonly #ms: number;
  readonly #bark: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number, bark: () => void) {
    this.#ms = ms;
    this.#bark = bark;
    this.heard();
  }

  heard(): void {
    this.stop();
    this.#timer = setTimeout(this.#bark, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
