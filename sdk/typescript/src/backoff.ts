/** Delays between retries. */
export interface BackoffSettings {
  /** Maximum first delay, in milliseconds; 250 by default. */
  firstMs?: number | undefined;
  /** Maximum delay, in milliseconds; 10 000 by default. */
  longestMs?: number | undefined;
  /** A number from 0 to below 1, for tests. */
  random?: (() => number) | undefined;
}

/**
 * Exponential back-off. Each delay is random between half of it and all of it, so that clients disconnected together do
 * not reconnect together, and none reconnects at once.
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

  /** Number of delays since the last success. */
  get tries(): number {
    return this.#tries;
  }

  /** The next delay; at least as long as the server asks for. */
  next(atLeastMs = 0): number {
    const most = Math.min(this.#longest, this.#first * 2 ** Math.min(this.#tries, 30));
    this.#tries += 1;
    return Math.max(atLeastMs, most / 2 + (most / 2) * this.#random());
  }

  /** Resets the delay after a success. */
  reset(): void {
    this.#tries = 0;
  }

  /** Sets the first delay, as the server asks. */
  suggest(firstMs: number): void {
    this.#first = Math.min(Math.max(firstMs, 10), this.#longest);
  }
}

/** Waits; ends early when the signal is aborted. */
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
