// A moment in which a yes does nothing: what has just come into view is to be read first.

/** How long. */
export const PAUSE_MS = 800;

export class ReadDelay {
  #opens = Infinity;
  #pressed = -Infinity;

  /** It is on the screen. All times are those of events: when something happened, not when it was come to. */
  begin(now: number): void {
    this.#opens = now + PAUSE_MS;
  }

  /** A pointer went down, anywhere. */
  press(at: number): void {
    this.#pressed = at;
  }

  /** Whether a click counts. One by a pointer has to have begun after the moment too. */
  admits(event: Pick<MouseEvent, 'timeStamp' | 'detail'>): boolean {
    return event.timeStamp >= this.#opens && (event.detail === 0 || this.#pressed >= this.#opens);
  }

  /** Begins once it is drawn, and watches the window until what it gives is called. `open` is told when the moment is over. */
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
