/** How long to wait between tries. */
export interface BackoffSettings {
  /** The longest first pause, in milliseconds; 250 unless told. */
  firstMs?: number | undefined;
  /** The longest pause at all; 10 000 unless told. */
  longestMs?: number | undefined;
  /** A number from 0 to below 1, for tests. */
  random?: (() => number) | undefined;
}

/**
 * Pauses that double, each of them anything from half of it to all of it: clients that were cut off together do not come
 * back together, and none of them at once.
 */
export class Backoff {
  #first: number;
  readonly #longest: number;
  readonly #random: () => number;
  #tries = 0;

  constructor(settings: BackoffSettings = {}) {
    this.#first = settings.firstMs ?? 250;
    this.#longest = settings.longestMs ?? 10_000;
    this.#random = settings.random ?? Math.random;
  }

  /** How many pauses there were since it last worked. */
  get tries(): number {
    return this.#tries;
  }

  /** The next pause; at least as long as the server wants, if it said so. */
  next(atLeastMs = 0): number {
    const most = Math.min(this.#longest, this.#first * 2 ** Math.min(this.#tries, 30));
    this.#tries += 1;
    return Math.max(atLeastMs, most / 2 + (most / 2) * this.#random());
  }

  /** It worked. */
  reset(): void {
    this.#tries = 0;
  }

  /** The server wants another first pause. */
  suggest(firstMs: number): void {
    this.#first = Math.min(Math.max(firstMs, 10), this.#longest);
  }
}

/** Waits; sooner over when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const over = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener('abort', over, { once: true });
  });
}
