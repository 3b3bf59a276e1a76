// A short delay in which a click on yes does nothing, so that what has just appeared is read first.

/** The length of the delay. */
export const PAUSE_MS = 800;

export class ReadDelay {
  #opens = Infinity;
  #pressed = -Infinity;

  /**
   * Starts the delay: the text is on the screen. All times are those of events: when something happened, not
   * when it was handled.
   */
  begin(now: number): void {
    this.#opens = now + PAUSE_MS;
  }

  /** Records that a pointer went down, anywhere. */
  press(at: number): void {
    this.#pressed = at;
  }

  /** Whether a click counts. A click by a pointer must also have begun after the delay. */
  admits(event: Pick<MouseEvent, 'timeStamp' | 'detail'>): boolean {
    return event.timeStamp >= this.#opens && (event.detail === 0 || this.#pressed >= this.#opens);
  }

  /**
   * Starts the delay once the text is drawn, and watches the window until the returned function is called.
   * `open` is called when the delay is over.
   */
  watch(open: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        this.begin(performance.now());
        timer = setTimeout(open, PAUSE_MS);
      });
    });
    const press = (event: Event): void => this.press(event.timeStamp);
    addEventListener('pointerdown', press, true);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      removeEventListener('pointerdown', press, true);
    };
  }
}
