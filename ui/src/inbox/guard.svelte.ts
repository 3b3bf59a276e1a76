// No yes by accident. What has just come into view cannot be answered yet, and a press that only brought the window to
// the front answers nothing.

/** How long a question has to be in view before it can be answered. */
export const SETTLE_MS = 500;
/** How long after the window came to the front a press does nothing. */
export const ARRIVE_MS = 300;

export class Guard {
  readonly #now: () => number;
  #shown: string | undefined;
  #opens = 0;
  #front = -Infinity;
  #pressed = true;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inert = $state(true);

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether controls do nothing yet. */
  get inert(): boolean {
    return this.#inert;
  }

  /** Something is in view. If it is something new, half a second begins. */
  show(what: string | undefined): void {
    if (what === this.#shown) return;
    this.#shown = what;
    this.settle();
  }

  /** What the controls mean has changed: half a second begins. */
  settle(): void {
    this.#opens = this.#now() + SETTLE_MS;
    this.#inert = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (this.#inert = false), SETTLE_MS);
  }

  /** The window came to the front. */
  toFront(): void {
    this.#front = this.#now();
  }

  /** A pointer went down, anywhere. */
  press(): void {
    this.#pressed = this.admits();
  }

  /** Whether a key may answer now. */
  admits(): boolean {
    const now = this.#now();
    return now >= this.#opens && now >= this.#front + ARRIVE_MS;
  }

  /** Whether a click may: a press that began too early does not count either. */
  admitsClick(event: Pick<MouseEvent, 'detail'>): boolean {
    const pressed = event.detail === 0 || this.#pressed;
    this.#pressed = true;
    return pressed && this.admits();
  }

  /** Watches the window until what it gives is called. */
  watch(): () => void {
    const front = (): void => this.toFront();
    const seen = (): void => {
      if (document.visibilityState === 'visible') this.toFront();
    };
    const press = (): void => this.press();
    addEventListener('focus', front);
    document.addEventListener('visibilitychange', seen);
    addEventListener('pointerdown', press, true);
    return () => {
      removeEventListener('focus', front);
      document.removeEventListener('visibilitychange', seen);
      removeEventListener('pointerdown', press, true);
      clearTimeout(this.#timer);
    };
  }
}
