// Prevents accidental approval. A question cannot be answered the moment it appears, by a press that only brought the window to the
// front, or by keys typed for another window.
//
// The time of the event counts, not when its handler runs: a busy page handles presses late,
// and agents decide how much there is to draw. The settling time starts when
// the question has been painted.

/** How long a question has to be in view before it can be answered. */
export const SETTLE_MS = 500;
/** How long after the window came to the front a press does nothing: longer than a double click takes. */
export const ARRIVE_MS = 700;
/** Keys that follow each other more quickly than this are somebody typing. */
export const TYPING_MS = 250;

/** What happened, and when. */
type Moment = Pick<Event, 'timeStamp'>;
type Clicked = Pick<MouseEvent, 'detail' | 'timeStamp'>;

/** Calls back when what was changed before has been painted. */
function onPaint(then: () => void): void {
  requestAnimationFrame(() => requestAnimationFrame(then));
}

export class InputGuard {
  readonly #now: () => number;
  readonly #painted: (then: () => void) => void;
  #shown: string | undefined;
  #opens = Infinity;
  #opensToPointer = Infinity;
  #front = -Infinity;
  #keyed = -Infinity;
  #typing = false;
  #pressed = true;
  #turn = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #inert = $state(true);

  constructor(now: () => number = () => performance.now(), painted = onPaint) {
    this.#now = now;
    this.#painted = painted;
  }

  /** Whether controls do nothing yet. */
  get inert(): boolean {
    return this.#inert;
  }

  /** Something is in view. If it is new, the settling time starts. */
  show(what: string | undefined): void {
    if (what === this.#shown) return;
    this.#shown = what;
    this.settle();
  }

  /** The controls changed: the settling time starts once they are painted. `pointer`: for pointers only, since keys do not depend on position. */
  settle(who: 'all' | 'pointer' = 'all'): void {
    this.#opensToPointer = Infinity;
    if (who === 'all') this.#opens = Infinity;
    this.#inert = true;
    clearTimeout(this.#timer);
    const turn = (this.#turn += 1);
    this.#painted(() => {
      if (turn !== this.#turn) return;
      this.#opensToPointer = this.#now() + SETTLE_MS;
      if (this.#opens === Infinity) this.#opens = this.#opensToPointer;
      this.#timer = setTimeout(() => (this.#inert = false), SETTLE_MS);
    });
  }

  /** The window came to the front. */
  toFront(): void {
    this.#front = this.#now();
  }

  /** A pointer went down, anywhere. */
  press(event: Moment): void {
    this.#pressed = this.admits(event) && event.timeStamp >= this.#opensToPointer;
  }

  /** A key went down, anywhere; it may be about to press what has the focus. */
  key(event: Moment & { repeat: boolean }): void {
    this.#typing = event.timeStamp - this.#keyed < TYPING_MS;
    this.#keyed = event.timeStamp;
    this.#pressed = !event.repeat && this.admits(event);
  }

  /** Whether an event at this time may answer. */
  admits({ timeStamp }: Moment): boolean {
    return timeStamp >= this.#opens && timeStamp >= this.#front + ARRIVE_MS;
  }

  /** Whether a single key may answer: not while somebody types. */
  admitsKey(event: Moment): boolean {
    return !this.#typing && this.admits(event);
  }

  /** Whether a click may answer: a press that began too early does not count. */
  admitsClick(event: Clicked): boolean {
    const byPointer = event.detail > 0;
    const pressed = this.#pressed && (!byPointer || event.timeStamp >= this.#opensToPointer);
    this.#pressed = true;
    return pressed && this.admits(event);
  }

  /** Watches the window until the returned function is called. Afterwards everything must settle again. */
  watch(): () => void {
    const front = (): void => this.toFront();
    const seen = (): void => {
      if (document.visibilityState === 'visible') this.toFront();
    };
    const press = (event: PointerEvent): void => this.press(event);
    const key = (event: KeyboardEvent): void => this.key(event);
    addEventListener('focus', front);
    document.addEventListener('visibilitychange', seen);
    addEventListener('pointerdown', press, true);
    addEventListener('keydown', key, true);
    return () => {
      removeEventListener('focus', front);
      document.removeEventListener('visibilitychange', seen);
      removeEventListener('pointerdown', press, true);
      removeEventListener('keydown', key, true);
      clearTimeout(this.#timer);
      this.show(undefined);
    };
  }
}
