// Estimate of the server's time, with one timer for all countdowns.
import { serverAhead } from './client';

class Clock {
  #now = $state(Date.now());

  /** Server time in milliseconds, to within half a second. Reactive: changes every half second. */
  get now(): number {
    return this.#now;
  }

  /** The same, not reactive. */
  exact(): number {
    return Date.now() + serverAhead();
  }

  start(): void {
    setInterval(() => (this.#now = this.exact()), 500);
  }
}

export const clock = new Clock();
